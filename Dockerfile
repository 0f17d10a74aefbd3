# The service as one static program on an empty image, run by nobody in
# particular.

FROM golang:1.26 AS build
ARG VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -tags timetzdata -ldflags="-s -X main.version=$VERSION" -o /out/plumbline ./cmd/plumbline
RUN mkdir /out/licences && cp LICENSE NOTICE /out/licences/ && cp "$(go env GOROOT)/LICENSE" /out/licences/go.LICENSE && \
    go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/plumbline | sort -u | \
    while read -r path dir; do \
      mkdir -p "/out/licences/$path" && \
      find "$dir" -maxdepth 1 -type f \( -iname '*licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) -exec cp {} "/out/licences/$path/" \; ; \
    done

RUN mkdir /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/plumbline /
COPY --from=build /out/licences /licences
COPY --from=build --chown=65532:65532 /out/data /data
ENV PLUMBLINE_DATA=/data
VOLUME /data
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s CMD ["/plumbline", "health"]
ENTRYPOINT ["/plumbline"]
CMD ["serve"]
