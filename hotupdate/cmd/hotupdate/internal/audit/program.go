package audit

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
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/release"
	"github.com/hotupdate/providerconfig/internal/provider"
)

// byProgram is the hash method of eras that a program names.
const byProgram release.Method = "its program"

// program is a process that reads pools and writes their additional data, line by line. It is safe
// for concurrent use.
type program struct {
	process *exec.Cmd
	errs    bytes.Buffer

	mutex sync.Mutex // guards the fields below
	in    io.WriteCloser
	out   *bufio.Reader
}

// start starts a program, given as a name and arguments. The program ends when its standard input
// ends.
func start(command []string) (*program, error) {
	p := &program{process: exec.Command(command[0], command[1:]...)}
	p.process.Stderr = &p.errs
	in, inErr := p.process.StdinPipe()
	out, outErr := p.process.StdoutPipe()
	p.in, p.out = in, bufio.NewReader(out)
	if err := errors.Join(inErr, outErr, p.process.Start()); err != nil {
		return nil, fmt.Errorf("%s: cannot be started: %w", strings.Join(command, " "), err)
	}
	return p, nil
}

// stop waits for the process, unless it is busy: then it ends together with this process, when its
// standard input ends.
func (p *program) stop() {
	if p != nil && p.mutex.TryLock() {
		_ = p.wait() // its exit code does not matter after the last answer
	}
}

func (p *program) wait() error {
	_ = p.in.Close()
	return p.process.Wait()
}

// question is a pool in the form of a Worker, which programs read.
type question struct {
	*provider.Pool

	Strategy            string  `json:"updateStrategy"`
	Minimum             int     `json:"minimum"`
	Maximum             int     `json:"maximum"`
	NodeAgentSecretName *string `json:"nodeAgentSecretName"`
}

// hash asks the program for the hash of a pool.
func (p *program) hash(of *pool.Pool) (hashed release.Hashed, refused, failed error) {
	var answer struct {
		Era   string   `json:"era"`
		Data  []string `json:"data"`
		Error string   `json:"error"`
	}
	hashed.Era = &release.Era{Hash: byProgram}
	asked := question{
		of.InWorker(), of.Worker.UpdateStrategy.String(), of.Machines.Minimum, of.Machines.Maximum,
		of.NodeAgentSecretName,
	}
	asked.ProviderConfig = pool.AsStored(asked.ProviderConfig)
	if err := p.ask(asked, &answer); err != nil {
		return hashed, nil, manifest.InFile(strings.Join(p.process.Args, " "), err)
	}
	hashed.Era.Name, hashed.Data = answer.Era, answer.Data
	if answer.Error != "" {
		refused = errors.New(answer.Error)
	}
	return hashed, refused, nil
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
		return errors.New("answers with a line that is no JSON object with era and data, or error")
	}
	said := strings.TrimSpace(p.errs.String())
	//nolint:errorlint // the end of a pipe is no cause
	return fmt.Errorf("ended without an answer for every pool: %v, %v\n%s", err, p.wait(), said)
}
