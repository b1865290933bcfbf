package hash

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// ServeEras is the body of a program for the flags --old-exec and --new-exec of hotupdate audit,
// which then judges pools by the functions of the release itself. It reads one pool per line, in
// the JSON of a Worker (extensions.gardener.cloud/v1alpha1), and answers each with one line: the
// era in force and the additional data of the pool, or an error. It returns nil when the input
// ends.
//
// Read decodes a pool as strictly as the release does, and returns the eras of the release with it. Its
// errors become answers. Errors of input and output end ServeEras.
func ServeEras[P any](in io.Reader, out io.Writer, read func(pool []byte) (*Eras[P], P, error)) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading a pool: %w", err)
		}
		a, err := answerTo(line, read)
		if err != nil {
			a.Error = err.Error()
		}
		answer, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(answer, '\n')); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
}

// answer is the line that [ServeEras] writes about a pool.
type answer struct {
	Era   string   `json:"era,omitempty"`
	Data  []string `json:"data,omitempty"`
	Error string   `json:"error,omitempty"`
}

func answerTo[P any](line []byte, read func([]byte) (*Eras[P], P, error)) (a answer, err error) {
	var of struct {
		KubernetesVersion *string               `json:"kubernetesVersion"`
		UpdateStrategy    *string               `json:"updateStrategy"`
		ProviderConfig    *runtime.RawExtension `json:"providerConfig"` // as in Gardener's type: null is none
	}
	if err := json.Unmarshal(line, &of); err != nil {
		return a, fmt.Errorf("the line is not a pool: %w", err)
	}
	eras, pool, err := read(line)
	if err != nil {
		return a, err
	}
	strategy := hotupdate.StrategyOf(of.UpdateStrategy)
	if a.Era, _, err = eras.Explain(strategy, of.KubernetesVersion); err != nil {
		return a, err
	}
	lists, err := eras.AdditionalData(strategy, of.KubernetesVersion, hotupdate.RawConfig(of.ProviderConfig), pool)
	a.Data = slices.Concat(lists.Rolling, lists.InPlace) // only the list of the strategy is set
	return a, err
}
