package updater

import (
	"context"
	"fmt"
	"maps"
	"time"

	"golang.org/x/sync/singleflight"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	expiring "k8s.io/apimachinery/pkg/util/cache"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// secretAge bounds how long the data of a secret, or the error of reading it, is reused, so that a
// missing secret does not cost a read for each machine.
const secretAge = 5 * time.Second

// secrets reads the secrets of classes. Workers that need the same secret at once share one read.
type secrets struct {
	client  typedcorev1.SecretsGetter
	read    *expiring.Expiring // by namespace/name
	reading singleflight.Group // by namespace/name
}

// of returns the merged data of the secrets of a class. A missing secret is an error; MCM treats it as
// empty.
func (s *secrets) of(ctx context.Context, class *object, namespace string) (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, member := range []string{"secretRef", "credentialsSecretRef"} {
		name := text(class, member, "name")
		if name == "" {
			continue
		}
		in := text(class, member, "namespace")
		if in == "" {
			in = namespace
		}
		found, err := s.get(ctx, in, name)
		if err != nil {
			return nil, fmt.Errorf("the secret %s/%s of class %s: %w", in, name, class.GetName(), err)
		}
		maps.Copy(data, found.Data)
	}
	return data, nil
}

// secretRead is the result of reading a secret.
type secretRead struct {
	secret *corev1.Secret
	err    error
}

// get reads a secret, or returns what was read a moment ago.
func (s *secrets) get(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	key := namespace + "/" + name
	if known, ok := s.read.Get(key); ok {
		read := known.(secretRead) //nolint:forcetypeassert // it holds nothing else
		return read.secret, read.err
	}
	shared, _, _ := s.reading.Do(key, func() (any, error) {
		// with its repetitions; the end of a term waits for it
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		found, err := s.client.Secrets(namespace).Get(bounded, name, metav1.GetOptions{})
		read := secretRead{found, err}
		s.read.Set(key, read, secretAge)
		return read, nil
	})
	read := shared.(secretRead) //nolint:forcetypeassert // as above
	return read.secret, read.err
}
