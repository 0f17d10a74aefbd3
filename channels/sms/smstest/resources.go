package smstest

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// created is when all that an operator set up was.
var created = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// accountResource is GET Accounts/{SID}.json.
func (s *Server) accountResource(w http.ResponseWriter, r *http.Request) *refusal {
	if !strings.HasSuffix(r.PathValue("file"), ".json") {
		return refuse(20404, r.URL.Path)
	}
	if _, _, no := pageOf(r); no != nil {
		return no
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.account
	at := "/2010-04-01/Accounts/" + a.SID
	writeJSON(w, http.StatusOK, map[string]any{
		"sid": a.SID, "friendly_name": a.Name, "status": a.Status, "type": a.Type, "owner_account_sid": a.SID, "auth_token": "[none of the fake's]",
		"date_created": rfc2822(created), "date_updated": rfc2822(created), "uri": at + ".json",
		"subresource_uris": map[string]string{"messages": at + "/Messages.json", "incoming_phone_numbers": at + "/IncomingPhoneNumbers.json"},
	})
	return nil
}

// numbers is GET IncomingPhoneNumbers.json. PhoneNumber is a part of a number,
// with * for any digit.
func (s *Server) numbers(w http.ResponseWriter, r *http.Request) *refusal {
	q, p, no := pageOf(r, "PhoneNumber", "FriendlyName", "Beta", "Origin")
	if no != nil {
		return no
	}
	part := strings.ReplaceAll(regexp.QuoteMeta(q.Get("PhoneNumber")), `\*`, `[0-9]`)
	match, err := regexp.Compile(part)
	if err != nil {
		return refuse(20001, "PhoneNumber")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Number
	for _, n := range s.account.Numbers {
		if match.MatchString(n.Phone) && (!q.Has("FriendlyName") || n.Name == q.Get("FriendlyName")) {
			list = append(list, n)
		}
	}
	body := struct {
		Numbers []map[string]any `json:"incoming_phone_numbers"`
		pageInfo
	}{}
	body.Numbers, body.pageInfo = entries(r, q, p, list, func(n Number) string { return n.SID }, s.numberResource)
	writeJSON(w, http.StatusOK, body)
	return nil
}

func (s *Server) numberResource(n Number) map[string]any {
	able := !n.Incapable
	return map[string]any{
		"sid": n.SID, "account_sid": s.account.SID, "friendly_name": n.Name, "phone_number": n.Phone, "api_version": "2010-04-01",
		"sms_url": n.SMSURL, "sms_method": n.SMSMethod, "sms_fallback_url": n.SMSFallbackURL, "sms_fallback_method": "POST", "sms_application_sid": n.SMSApplication,
		"voice_url": n.VoiceURL, "voice_method": n.VoiceMethod, "voice_fallback_url": "", "voice_fallback_method": "POST",
		"voice_application_sid": text(n.VoiceApplication), "voice_caller_id_lookup": false, "voice_receive_mode": "voice", "trunk_sid": text(n.Trunk),
		"status_callback": n.StatusCallback, "status_callback_method": "POST", "capabilities": map[string]bool{"sms": able, "mms": able, "voice": able, "fax": false},
		"address_requirements": "none", "address_sid": nil, "beta": false, "origin": "twilio", "status": "in-use", "emergency_status": "Inactive",
		"date_created": rfc2822(created), "date_updated": rfc2822(created),
		"uri": "/2010-04-01/Accounts/" + s.account.SID + "/IncomingPhoneNumbers/" + n.SID + ".json",
	}
}

// writeV1 writes a list as the messaging API does, with its paging.
func writeV1[E any](s *Server, w http.ResponseWriter, r *http.Request, key string, list []E, sid func(E) string, resource func(E) any, known ...string) *refusal {
	q, p, no := pageOf(r, known...)
	if no != nil {
		return no
	}
	items, info := entries(r, q, p, list, sid, resource)
	at := func(uri *string) *string {
		if uri == nil {
			return nil
		}
		u := s.base + *uri
		return &u
	}
	writeJSON(w, http.StatusOK, map[string]any{key: items, "meta": map[string]any{
		"key": key, "page": info.Page, "page_size": info.PageSize, "first_page_url": s.base + info.FirstPageURI, "url": s.base + info.URI,
		"next_page_url": at(info.NextPageURI), "previous_page_url": at(info.PreviousPageURI),
	}})
	return nil
}

// services is GET v1/Services.
func (s *Server) services(w http.ResponseWriter, r *http.Request) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return writeV1(s, w, r, "services", s.account.Services, func(m Service) string { return m.SID }, func(m Service) any { return s.serviceJSON(m) })
}

// serviceAsked is the Messaging Service of a path.
func (s *Server) serviceAsked(r *http.Request) (*Service, *refusal) {
	if m := s.account.service(r.PathValue("service")); m != nil {
		return m, nil
	}
	return nil, refuse(20404, strings.TrimPrefix(r.URL.Path, "/v1"))
}

// serviceResource is GET v1/Services/{SID}.
func (s *Server) serviceResource(w http.ResponseWriter, r *http.Request) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, no := s.serviceAsked(r)
	if no == nil {
		if _, _, no = pageOf(r); no == nil {
			writeJSON(w, http.StatusOK, s.serviceJSON(*m))
		}
	}
	return no
}

func (s *Server) serviceJSON(m Service) map[string]any {
	at := s.base + "/v1/Services/" + m.SID
	return map[string]any{
		"sid": m.SID, "account_sid": s.account.SID, "friendly_name": m.Name, "inbound_request_url": text(m.InboundURL), "inbound_method": m.InboundMethod,
		"fallback_url": text(m.FallbackURL), "fallback_method": "POST", "status_callback": text(m.StatusCallback), "sticky_sender": m.StickySender,
		"mms_converter": true, "smart_encoding": m.SmartEncoding, "scan_message_content": "inherit", "fallback_to_long_code": true, "area_code_geomatch": true,
		"synchronous_validation": false, "validity_period": m.ValidityPeriod, "usecase": m.Usecase, "us_app_to_person_registered": m.Registered,
		"use_inbound_webhook_on_number": m.OnNumber, "date_created": created.Format(time.RFC3339), "date_updated": created.Format(time.RFC3339), "url": at,
		"links": map[string]string{"phone_numbers": at + "/PhoneNumbers", "us_app_to_person": at + "/Compliance/Usa2p"},
	}
}

// senders is GET v1/Services/{SID}/PhoneNumbers: those that are numbers.
func (s *Server) senders(w http.ResponseWriter, r *http.Request) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, no := s.serviceAsked(r)
	if no != nil {
		return no
	}
	var list []Number
	for _, sender := range m.Senders {
		if n := s.account.number(sender); n != nil {
			list = append(list, *n)
		}
	}
	return writeV1(s, w, r, "phone_numbers", list, func(n Number) string { return n.SID }, func(n Number) any {
		can := []string{"SMS", "MMS", "Voice"}
		if n.Incapable {
			can = []string{}
		}
		return map[string]any{
			"sid": n.SID, "account_sid": s.account.SID, "service_sid": m.SID, "phone_number": n.Phone, "country_code": "US", "capabilities": can,
			"date_created": created.Format(time.RFC3339), "date_updated": created.Format(time.RFC3339), "url": s.base + r.URL.Path + "/" + n.SID,
		}
	})
}

// campaigns is GET v1/Services/{SID}/Compliance/Usa2p.
func (s *Server) campaigns(w http.ResponseWriter, r *http.Request) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, no := s.serviceAsked(r)
	if no != nil {
		return no
	}
	return writeV1(s, w, r, "compliance", m.Campaigns, func(c Campaign) string { return c.SID }, func(c Campaign) any {
		return map[string]any{
			"sid": c.SID, "account_sid": s.account.SID, "messaging_service_sid": m.SID, "campaign_status": c.Status, "mock": c.Mock,
			"us_app_to_person_usecase": "MIXED", "is_externally_registered": false, "rate_limits": nil, "errors": []any{},
			"date_created": created.Format(time.RFC3339), "date_updated": created.Format(time.RFC3339), "url": s.base + r.URL.Path + "/" + c.SID,
		}
	})
}

// verifications is GET v1/Tollfree/Verifications.
func (s *Server) verifications(w http.ResponseWriter, r *http.Request) *refusal {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(20001, "query").because("the query cannot be read")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.account.Verifications)
	list = slices.DeleteFunc(list, func(v Verification) bool {
		return q.Has("TollfreePhoneNumberSid") && v.Number != q.Get("TollfreePhoneNumberSid") || q.Has("Status") && v.Status != q.Get("Status")
	})
	return writeV1(s, w, r, "verifications", list, func(v Verification) string { return v.SID }, func(v Verification) any {
		return map[string]any{
			"sid": v.SID, "account_sid": s.account.SID, "tollfree_phone_number_sid": v.Number, "status": v.Status, "rejection_reason": text(v.Reason),
			"error_code": nil, "edit_allowed": false, "date_created": created.Format(time.RFC3339), "date_updated": created.Format(time.RFC3339),
			"url": s.base + path.Join(r.URL.Path, v.SID),
		}
	}, "TollfreePhoneNumberSid", "Status", "ExternalReferenceId", "IncludeSubAccounts")
}
