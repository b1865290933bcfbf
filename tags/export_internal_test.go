package tags

// What the tests read and change of the table.
type (
	Call     = call
	Reserved = reservedKey
)

const (
	MatchContains = contains
	MatchPrefix   = begins
	MatchExactly  = equals

	MCMCluster = mcmCluster
	TheCloud   = theCloud
)

func Clouds() []Cloud { return []Cloud{AWS, Azure, GCP, OpenStack, AliCloud} }

func (r *Rules) Name() string         { return r.name }
func (r *Rules) SetCall() *Call       { return &r.setCall }
func (r *Rules) RemoveCall() *Call    { return &r.removeCall }
func (r *Rules) Reserved() []Reserved { return r.reservedKeys }
func (r *Rules) Uncounted() []string  { return r.uncounted }
