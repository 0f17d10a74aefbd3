package smstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A refusal is an error of the API, in Twilio's form.
type refusal struct {
	Code     int    `json:"code"`
	Message  string `json:"message"`
	MoreInfo string `json:"more_info"`
	Status   int    `json:"status"`

	reason string // in place of Message, for what holds no number
}

// messages are what Twilio says with its codes: as its replies are quoted in
// public, or else as its pages of errors are headed. %s is what the refusal is
// about; it may be a number, which the service must keep to itself.
var messages = map[int]string{
	20001: "Bad request: %s",
	20003: "Authenticate",
	20005: "Account not active",
	20404: "The requested resource %s was not found",
	20429: "Too Many Requests",
	20500: "An internal server error has occurred",
	21211: "The 'To' number %s is not a valid phone number.",
	21266: "'To' and 'From' number cannot be the same: %s",
	21408: "Permission to send an SMS has not been enabled for the region indicated by the 'To' number: %s",
	21602: "Message body is required.",
	21603: "A 'From' phone number is required.",
	21604: "A 'To' phone number is required.",
	21606: "The From phone number %s is not a valid, SMS-capable inbound phone number or short code for your account.",
	21609: "The 'StatusCallback' URL %s is not a valid URL.",
	21610: "Attempt to send to unsubscribed recipient",
	21614: "'To' number %s is not a valid mobile number",
	21617: "The concatenated message body exceeds the 1600 character limit.",
	21618: "The message body cannot be sent",
	21624: "Invalid validity period value: %s",
	21659: "'From' %s is not a Twilio phone number or Short Code country mismatch",
	21661: "'From' number %s is not SMS-capable",
	21701: "The Messaging Service %s does not exist",
	21703: "The Messaging Service does not have a phone number available to send a message",
	21704: "The Messaging Service contains no phone numbers",
	21705: "The Messaging Service Sid %s is invalid.",
	21711: "%s is not associated with the specified Messaging Service",
	21910: "Invalid 'From' and 'To' pair. 'From' and 'To' should be of the same channel",
	63007: "Twilio could not find a Channel with the specified From address",
}

// statusOf is the HTTP status that goes with a code.
func statusOf(code int) int {
	switch code {
	case 20003:
		return http.StatusUnauthorized
	case 20005:
		return http.StatusForbidden
	case 20404:
		return http.StatusNotFound
	case 20429:
		return http.StatusTooManyRequests
	case 20500:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// refuse is the refusal with a code.
func refuse(code int, about string) *refusal {
	message, ok := messages[code]
	switch {
	case !ok:
		message = fmt.Sprintf("Error %d", code)
	case strings.Contains(message, "%s"):
		message = fmt.Sprintf(message, about)
	}
	return &refusal{Code: code, Message: message, MoreInfo: fmt.Sprintf("https://www.twilio.com/docs/errors/%d", code), Status: statusOf(code)}
}

// because says more of why, for faults.
func (e *refusal) because(reason string) *refusal {
	e.reason = reason
	return e
}

// why is the reason without numbers or words of anyone.
func (e *refusal) why() string {
	if e.reason != "" {
		return e.reason
	}
	return strings.ReplaceAll(messages[e.Code], "%s", "…")
}

func (e *refusal) write(w http.ResponseWriter) {
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Twilio API"`)
	}
	writeJSON(w, e.Status, e)
}

// writeJSON writes v as the API does.
func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // no type here fails to be written
	}
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
