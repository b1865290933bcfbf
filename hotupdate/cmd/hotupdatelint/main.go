// Command hotupdatelint reports hotupdatable struct tags that are misspelled, misplaced or without
// effect.
//
//	hotupdatelint ./...                                     on its own
//	hotupdatelint -fix ./...                                and corrects what was meant without doubt
//	go vet -vettool=$(which hotupdatelint) ./...            as a part of go vet
//
// The rules are those of package hotupdatelint.
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
)

// The main function of singlechecker also speaks the protocol of go vet.
func main() { singlechecker.Main(hotupdatelint.Analyzer) }
