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
)

// byProgram is the method of an era of a program.
const byProgram release.Method = "what its program says"

// programs are processes of one program. Each goroutine has one for itself while it hashes a pool.
type programs struct {
	command []string

	mutex sync.Mutex
	idle  []*program
}

// program is a process that answers pools with additional data, line by line.
type program struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errs    bytes.Buffer
}

func newPrograms(command []string) *programs { return &programs{command: command} }

// take returns a process that is idle, or a new one.
func (p *programs) take() (*program, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		one := p.idle[last]
		p.idle = p.idle[:last]
		return one, nil
	}
	one := &program{process: exec.Command(p.command[0], p.command[1:]...)}
	one.process.Stderr = &one.errs
	in, err := one.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := one.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	one.in, one.out = in, bufio.NewReader(out)
	return one, one.process.Start()
}

func (p *programs) giveBack(one *program) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.idle = append(p.idle, one)
}

// stop ends the processes that are idle. Others end with their standard input, when this process ends.
func (p *programs) stop() {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, one := range p.idle {
		_ = one.in.Close() // it has answered everything
		_ = one.process.Wait()
	}
	p.idle = nil
}

// workerPool is a pool as it stands in a Worker, in which programs read it.
type workerPool struct {
	Name                string            `json:"name"`
	Minimum             int               `json:"minimum"`
	Maximum             int               `json:"maximum"`
	MachineType         string            `json:"machineType"`
	MachineImage        *machineImage     `json:"machineImage,omitempty"`
	KubernetesVersion   string            `json:"kubernetesVersion,omitempty"`
	UpdateStrategy      string            `json:"updateStrategy"`
	NodeAgentSecretName *string           `json:"nodeAgentSecretName,omitempty"`
	Volume              *pool.DataVolume  `json:"volume,omitempty"`
	DataVolumes         []pool.DataVolume `json:"dataVolumes,omitempty"`
	ProviderConfig      json.RawMessage   `json:"providerConfig,omitempty"`
}

type machineImage struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func workerPoolOf(p *pool.Pool, raw []byte) workerPool {
	w := workerPool{
		Name: p.Worker.Name, Minimum: p.Machines.Minimum, Maximum: p.Machines.Maximum, MachineType: p.Worker.MachineType,
		KubernetesVersion: p.Worker.KubernetesVersion, UpdateStrategy: p.Worker.UpdateStrategy.String(), NodeAgentSecretName: p.NodeAgentSecretName,
		MachineImage: (*machineImage)(p.Worker.Image), DataVolumes: p.DataVolumes, ProviderConfig: pool.AsStored(raw),
	}
	if v := p.Worker.Volume; v != nil {
		w.Volume = &pool.DataVolume{Size: v.Size, Type: v.Type, Encrypted: p.Encrypted}
	}
	return w
}

// answer is a line that a program writes.
type answer struct {
	Era   string   `json:"era"`
	Data  []string `json:"data"`
	Error string   `json:"error"`
}

// hash asks a program about a pool.
func (p *programs) hash(of *pool.Pool, raw []byte) (hashed release.Hashed, refused, failed error) {
	hashed.Era = &release.Era{Hash: byProgram}
	one, err := p.take()
	if err != nil {
		return hashed, nil, fmt.Errorf("%s: cannot be started: %w", strings.Join(p.command, " "), err)
	}
	a, err := one.ask(workerPoolOf(of, raw))
	if err != nil {
		return hashed, nil, manifest.InFile(strings.Join(p.command, " "), one.failure(err))
	}
	p.giveBack(one)
	hashed.Era.Name, hashed.Data = a.Era, a.Data
	if a.Error != "" {
		refused = errors.New(a.Error)
	}
	return hashed, refused, nil
}

func (p *program) ask(w workerPool) (a answer, err error) {
	question, err := json.Marshal(w)
	if err != nil {
		return a, err
	}
	if _, err = p.in.Write(append(question, '\n')); err != nil {
		return a, err
	}
	text, err := p.out.ReadBytes('\n')
	if err == nil && json.Unmarshal(text, &a) != nil {
		err = errors.New("answers with a line that is no JSON object with era and data, or error")
	}
	return a, err
}

// failure says why a program gave no answer, by what it wrote to standard error.
func (p *program) failure(err error) error {
	_ = p.in.Close()
	if ended := p.process.Wait(); ended != nil || errors.Is(err, io.EOF) {
		err = fmt.Errorf("ended without an answer for every pool: %w", errors.Join(ended, err))
	}
	if text := strings.TrimSpace(p.errs.String()); text != "" {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return err
}
