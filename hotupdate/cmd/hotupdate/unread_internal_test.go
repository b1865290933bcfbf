package main

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
)

const encrypted = "ENC[AES256_GCM,data:abcd,iv:x,tag:y,type:str]"

// unreadable are texts in the place of a file with a Shoot, as other programs write them, with what is said about each.
var unreadable = map[string]struct{ text, problem string }{
	"git-crypt": {"\x00GITCRYPT\x00\x8a\x1fasdfasdf\xff\xfe", "is encrypted by git-crypt; run git-crypt unlock first"},
	"UTF-16 without a mark": {
		inUTF16(fmt.Sprintf(shootOfRepository, 0, 0)),
		"is not text: it has bytes that are not UTF-8, or the byte 0; YAML and JSON are text",
	},
	"Git LFS": {
		"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
		"is a pointer of Git LFS, and not the file; run git lfs pull first",
	},
	"SOPS, each value": {
		"apiVersion: " + encrypted + "\nkind: " + encrypted + "\nmetadata:\n  name: " + encrypted + "\nspec:\n  region: " + encrypted +
			"\nsops:\n  lastmodified: \"2026-01-01T00:00:00Z\"\n  mac: " + encrypted + "\n  version: 3.9.0\n",
		"is encrypted by SOPS; decrypt it first, with sops decrypt",
	},
	"SOPS, the values of the spec": {
		"apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: shoot-0, namespace: garden-p0}\nspec:\n  region: " + encrypted +
			"\nsops:\n  mac: " + encrypted + "\n  version: 3.9.0\n",
		"is encrypted by SOPS; decrypt it first, with sops decrypt",
	},
	"SOPS, the whole file": {
		`{"data": "` + encrypted + `", "sops": {"mac": "` + encrypted + `", "version": "3.9.0"}}`,
		"is encrypted by SOPS; decrypt it first, with sops decrypt",
	},
	"a conflict": {
		strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "metadata: {name: shoot-0, namespace: garden-p0}",
			"<<<<<<< HEAD\nmetadata: {name: shoot-a, namespace: garden-p0}\n=======\nmetadata: {name: shoot-b, namespace: garden-p0}\n>>>>>>> other", 1),
		"has conflict markers of git; resolve the conflict first",
	},
	"an alias bomb": {aliasBomb(), "is larger than 10 MiB once its aliases are replaced by their values; write the values out"},
	"a variable in a name": {
		strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "metadata: {name: shoot-0,", `metadata: {name: "${CLUSTER}",`, 1),
		"has ${CLUSTER}, a variable that Flux or envsubst replaces; render it first, with flux build kustomization or envsubst",
	},
	"a variable in a name, which is no YAML": {
		strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "metadata: {name: shoot-0,", `metadata: {name: ${CLUSTER},`, 1),
		"is not valid YAML or JSON: ",
	},
}

func inUTF16(text string) string {
	var encoded []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = binary.LittleEndian.AppendUint16(encoded, unit)
	}
	return string(encoded)
}

// aliasBomb is a text of a few lines whose aliases stand for 9^9 values.
func aliasBomb() string {
	var text strings.Builder
	text.WriteString("a: &a [x, x, x, x, x, x, x, x, x]\n")
	for name := 'b'; name < 'i'; name++ {
		aliases := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", name-1), 9), ", ")
		fmt.Fprintf(&text, "%c: &%c [%s]\n", name, name, aliases)
	}
	return text.String()
}

// TestUnreadableTextIsNotAbsence: what a file holds that cannot be read is named and not judged. The Shoot that the other side has
// there was neither removed nor added. It is if the file is gone, or legible without the Shoot.
func TestUnreadableTextIsNotAbsence(t *testing.T) {
	t.Parallel()
	for name, file := range unreadable {
		for _, direction := range []string{"the new side", "the old side"} {
			t.Run(name+" on "+direction, func(t *testing.T) {
				t.Parallel()
				gate := newRepository(t, 2, func(i int, text string) string {
					if i == 0 {
						return file.text
					}
					return text
				})
				if direction == "the old side" {
					gate = repository{gate.updated, gate.old}
				}
				ran := gate.plan(t, "--fail-on", "roll,removed")
				assert.Equal(t, exitError, ran.code, ran.stdout)
				assert.NotContains(t, ran.stdout, "removed")
				assert.NotContains(t, ran.stdout, "added")
				assert.Regexp(t, `2 worker pools are untouched, (1 object is|2 objects are) not judged\.`, ran.stdout)
				assert.Contains(t, ran.stderr, file.problem)
				assert.Contains(t, ran.stderr, filepath.Join("p0", "shoot-0.yaml"))
				assert.NotContains(t, ran.stderr, "AES256")
			})
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "another object": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shoot-0}\n",
		"an encrypted Secret": "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: \"" + encrypted + "\"}\nsops: {mac: \"" + encrypted + "\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := newRepository(t, 2, func(i int, whole string) string {
				if i == 0 {
					return text
				}
				return whole
			})
			assert.Equal(t, exitRemoved, gate.plan(t, "--fail-on", "roll,removed").code)
			assert.Equal(t, exitMachinesAdded, repository{gate.updated, gate.old}.plan(t, "--exit-code").code)
		})
	}
}
