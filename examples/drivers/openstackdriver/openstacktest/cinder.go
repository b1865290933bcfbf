package openstacktest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

func volumeOf(r *driver.Resource) map[string]any {
	return map[string]any{"id": r.ID, "name": r.Name, "status": "in-use", "metadata": withoutNil(r.Tags)}
}

func (a *API) listVolumes(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	all, err := a.Resources(r.Context())
	var volumes []map[string]any
	for i := range all {
		if name := r.URL.Query().Get("name"); all[i].Kind == tags.Disk && (name == "" || name == all[i].Name) {
			volumes = append(volumes, volumeOf(&all[i]))
		}
	}
	items, links := page(r, volumes, a.Page, func(v map[string]any) string { return fmt.Sprint(v["id"]) })
	return http.StatusOK, map[string]any{"volumes": append([]map[string]any{}, items...), "volumes_links": links}, err
}

func (a *API) getVolume(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	volume, err := a.find(r.Context(), tags.Disk, r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, map[string]any{"volume": volumeOf(volume)}, nil
}

// etag is the version of the metadata. Cinder has ETags since version 3.15 of its API.
func etag(volume *driver.Resource) string { return "etag-" + volume.Version }

func hasETags(r *http.Request) bool { return isAtLeast(r, "X-OpenStack-Volume-API-Version", "3.15") }

func (a *API) getMetadata(w http.ResponseWriter, r *http.Request) (int, any, error) {
	volume, err := a.find(r.Context(), tags.Disk, r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if hasETags(r) {
		w.Header().Set("ETag", etag(volume))
	}
	return http.StatusOK, map[string]any{"metadata": withoutNil(volume.Tags)}, nil
}

// putMetadata writes all metadata, on condition of the ETag.
func (a *API) putMetadata(_ http.ResponseWriter, r *http.Request) (int, any, error) {
	var body struct {
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return 0, nil, err
	}
	volume, err := a.find(r.Context(), tags.Disk, r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if hasETags(r) && r.Header.Get("If-Match") != etag(volume) {
		return 0, nil, &status{http.StatusPreconditionFailed, "the metadata has changed"}
	}
	return http.StatusOK, body, a.Replace(r.Context(), tags.Disk, volume.ID, volume.Version, body.Metadata)
}
