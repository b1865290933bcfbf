package apiserver

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/api"
)

// AsKubernetes lets a client use ConfigMap, Secret, Event and Node in Kubernetes' core group on
// this server, which serves them in the group of machines: rest.Config.Wrap takes it.
func AsKubernetes(next http.RoundTripper) http.RoundTripper { return &asKubernetes{next} }

type asKubernetes struct{ next http.RoundTripper }

func (a *asKubernetes) RoundTrip(r *http.Request) (*http.Response, error) {
	path, isCore := strings.CutPrefix(r.URL.Path, "/api/v1/")
	if !isCore {
		return a.next.RoundTrip(r)
	}
	core := []byte(`"apiVersion":"v1"`)
	group := []byte(`"apiVersion":"` + api.GroupVersion.String() + `"`)
	sent := r.Clone(r.Context())
	sent.URL.Path = "/apis/" + api.GroupVersion.String() + "/" + path
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.ReplaceAll(body, core, group)
		sent.Body = io.NopCloser(bytes.NewReader(body))
		sent.ContentLength = int64(len(body))
	}
	answer, err := a.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it is read here
	body, err := io.ReadAll(answer.Body)
	body = bytes.ReplaceAll(body, group, core)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	answer.ContentLength = int64(len(body))
	answer.Header.Del("Content-Length")
	return answer, err
}
