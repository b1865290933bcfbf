package release

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// byProgram is the hash method of the eras that a program names.
const byProgram Method = "its program"

// program is a process that reads pools and writes their additional data, line by line. It is safe
// for concurrent use.
type program struct {
	process *exec.Cmd
	errs    bytes.Buffer

	mutex sync.Mutex // guards the fields below
	in    io.WriteCloser
	out   *bufio.Reader
}

// Start starts a program, given as a name and arguments, that hashes pools like a release. The eras
// of the release come from the program's answers. If a file is named, it has the Schema that the
// release reads provider configs with, in a form that [Read] takes. Without a program, Start is
// [Read].
func Start(command []string, file string) (r *Release, err error) {
	r = &Release{}
	if file != "" || len(command) == 0 {
		r, err = Read(file)
	}
	if err != nil || len(command) == 0 {
		return r, err
	}
	p := &program{process: exec.Command(command[0], command[1:]...)}
	r = &Release{From: strings.Join(command, " "), Schema: r.Schema, Kind: r.Kind, program: p}
	p.process.Stderr = &p.errs
	in, inErr := p.process.StdinPipe()
	out, outErr := p.process.StdoutPipe()
	p.in = in
	p.out = bufio.NewReader(out)
	if err := errors.Join(inErr, outErr, p.process.Start()); err != nil {
		return nil, fmt.Errorf("%s: cannot be started: %w", r.From, err)
	}
	return r, nil
}

// Stop waits for the program of the release, if it has one. A busy program ends together with this
// process, when its standard input ends.
func (r *Release) Stop() {
	if p := r.program; p != nil && p.mutex.TryLock() {
		_ = p.wait() // its exit code does not matter after the last answer
	}
}

func (p *program) wait() error {
	_ = p.in.Close()
	return p.process.Wait()
}

// question is a pool in the form of a Worker, which programs read.
type question struct {
	*provider.WorkerPool

	Strategy            string  `json:"updateStrategy"`
	Minimum             int     `json:"minimum"`
	Maximum             int     `json:"maximum"`
	NodeAgentSecretName *string `json:"nodeAgentSecretName"`
}

// hash asks the program for the hash of a pool. An error is a failure of the program.
func (p *program) hash(of *facts.Pool) (Hashed, error) {
	var answer struct {
		Era   string   `json:"era"`
		Data  []string `json:"data"`
		Error string   `json:"error"`
	}
	asked := question{
		of.InWorker(), of.Worker.UpdateStrategy.String(), of.Machines.Minimum, of.Machines.Maximum,
		of.NodeAgentSecretName,
	}
	asked.ProviderConfig = facts.ConfigOf(asked.ProviderConfig).Stored().Raw()
	err := manifest.InFile(strings.Join(p.process.Args, " "), p.ask(asked, &answer))
	hashed := Hashed{Era: &Era{Name: answer.Era, Hash: byProgram}, Data: answer.Data}
	if answer.Error != "" {
		hashed.Refused = errors.New(answer.Error)
	}
	return hashed, err
}

// ask writes a question and reads the answer. If there is no answer, the error has the program's
// standard error.
func (p *program) ask(question, answer any) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	line, err := json.Marshal(question)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = p.out.ReadBytes('\n')
	}
	if err == nil {
		if json.Unmarshal(line, answer) == nil {
			return nil
		}
		return errors.New("answers with a line that must be a JSON object with era and data, or with error")
	}
	said := strings.TrimSpace(p.errs.String())
	//nolint:errorlint // the end of a pipe does not explain the failure
	return fmt.Errorf("ended without an answer for every pool: %v, %v\n%s", err, p.wait(), said)
}
