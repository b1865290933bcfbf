package main

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
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
	"PGP": {
		"-----BEGIN PGP MESSAGE-----\n\nhQEMA0xabcdefgh\nAbCdEf==\n=abcd\n-----END PGP MESSAGE-----\n",
		"is encrypted by PGP; decrypt it first, with gpg",
	},
	"age": {
		"-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5\n-----END AGE ENCRYPTED FILE-----\n",
		"is encrypted by age; decrypt it first, with age",
	},
	"ansible-vault": {
		"$ANSIBLE_VAULT;1.1;AES256\n36313233\n3435\n", "is encrypted by Ansible; decrypt it first, with ansible-vault decrypt",
	},
	"other text": {
		"SGVsbG8gd29ybGQsIEkgYW0gYSBmaWxl\nSGVsbG8gd29ybGQs\n", "is not an object but text; decrypt it first if it is encrypted",
	},
	"$NAME":             {named("$CLUSTER"), "has a value that looks like a placeholder"},
	"$(NAME)":           {named("$(CLUSTER)"), "has a value that looks like a placeholder"},
	"(( name ))":        {named("(( name ))"), "has a value that looks like a placeholder"},
	"<NAME>":            {named("<CLUSTER>"), "has a value that looks like a placeholder"},
	"$[name]":           {named("$[name]"), "has a value that looks like a placeholder"},
	"__NAME__":          {named("__NAME__"), "has a value that looks like a placeholder"},
	"an encrypted name": {named(encrypted), "is encrypted by SOPS; decrypt it first, with sops decrypt"},
	"another name that no API server accepts": {
		named("?cluster?"), "metadata.name is not a name, which has lower-case letters, digits, - and . only",
	},
	"a namespace that no API server accepts": {
		strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "namespace: garden-p0", "namespace: PROJECT", 1),
		"metadata.namespace is not a name, which has lower-case letters, digits, - and . only",
	},
	"a kind that is replaced": {
		strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "kind: Shoot", "kind: $(KIND)", 1),
		"has a value that looks like a placeholder",
	},
	"ytt": {inBlock("name: #@ data.values.name"), "has #@, a template of ytt; render it first, with ytt"},
	"a tag of Ansible": {
		inBlock("name: !vault |\n    $ANSIBLE_VAULT;1.1;AES256\n    3631"), "has a tag that another program reads, such as !vault",
	},
}

// named is the Shoot with another name.
func named(name string) string {
	return strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "name: shoot-0,", `name: "`+name+`",`, 1)
}

// inBlock is the Shoot whose metadata are a mapping in lines.
func inBlock(name string) string {
	return strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "metadata: {name: shoot-0, namespace: garden-p0}",
		"metadata:\n  namespace: garden-p0\n  "+name, 1)
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
				assert.Regexp(t, `(?m)^(1 object is|2 objects are) not judged$`, ran.stdout)
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

// TestPlaceholderOnBothSidesIsNotJudged: what a value that decides will be is in neither file, so equal placeholders do
// not show that nothing changes. Text that may be any is no placeholder.
func TestPlaceholderOnBothSidesIsNotJudged(t *testing.T) {
	t.Parallel()
	machine := func(to string) func(string) string {
		return func(text string) string { return strings.Replace(text, "type: m5.large", "type: "+to, 1) }
	}
	for i, to := range []string{
		`"$MACHINE_TYPE"`, `"$(MACHINE_TYPE)"`, `"(( .type ))"`, `"<MACHINE TYPE>"`, `"$[type]"`, `__TYPE__`, `m5.$SIZE`, `"%TYPE%"`,
		`"@TYPE@"`,
		`"` + encrypted + `"`, "!vault x",
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			gate := newRepository(t, 2, func(i int, text string) string { return text })
			put(t, filepath.Join(gate.old, "p0/shoot-0.yaml"), machine(to)(fmt.Sprintf(shootOfRepository, 0, 0)))
			put(t, filepath.Join(gate.updated, "p0/shoot-0.yaml"), machine(to)(fmt.Sprintf(shootOfRepository, 0, 0)))
			ran := gate.plan(t, "--exit-code")
			assert.Equal(t, exitError, ran.code, ran.stdout)
			assert.Regexp(t, `(?m)^(1 object is|2 objects are) not judged$`, ran.stdout, to)
			assert.NotContains(t, ran.stdout+ran.stderr, "AES256")
		})
	}
	spec := func(more string) string {
		return strings.Replace(fmt.Sprintf(shootOfRepository, 0, 0), "\nspec:\n", "\nspec:\n"+more, 1)
	}
	for name, text := range map[string]string{
		"an annotation": strings.Replace(
			fmt.Sprintf(shootOfRepository, 0, 0), "name: shoot-0,", `name: shoot-0, annotations: {example.com/a: "$HOME"},`, 1,
		),
		"another extension": spec(
			"  extensions: [{type: a, providerConfig: {apiVersion: a/v1, kind: A, field: \"$(HOST)\", label: __NAME__}}]\n",
		),
		"a secret": spec("  dns: {providers: [{type: aws-route53, secretName: \"a\"}]} # #@author\n"),
		"user data": strings.Replace(
			fmt.Sprintf(shootOfRepository, 0, 0), "name: shoot-0,",
			`name: shoot-0, labels: {team: a__B__c}, annotations: {worker.gardener.cloud/userData: "#!/bin/sh\necho $HOME #@ !vault"},`, 1,
		),
		"a comment": "# see !vault, ${NAME}, #@ data and $NAME\n" + fmt.Sprintf(shootOfRepository, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := newRepository(t, 2, func(i int, text string) string { return text })
			put(t, filepath.Join(gate.old, "p0/shoot-0.yaml"), text)
			put(t, filepath.Join(gate.updated, "p0/shoot-0.yaml"), text)
			ran := gate.plan(t, "--exit-code")
			assert.Equal(t, exitOK, ran.code, ran.stdout+ran.stderr)
		})
	}
}
