package hotupdate_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// piece is the size from which on a document is hashed in pieces.
const piece = 4 << 10

// stream has all values that are written on trial: objects, maps and lists that may have nothing left.
type stream struct {
	Fill   []string               `json:"a,omitempty"`
	Empty  *stream                `json:"b,omitempty"`
	Hot    map[string]*streamPart `json:"c,omitempty"    hotupdatable:"true"`
	HotKey []streamKeyed          `json:"d,omitempty"    hotupdatable:"true,key=name"`
	Map    map[string]*streamPart `json:"e,omitempty"`
	Keyed  []streamKeyed          `json:"f,omitempty"    hotupdatable:"false,key=name"`
	Set    []streamPart           `json:"g,omitempty"    hotupdatable:"false,set"`
	Array  [3]streamPart          `json:"h,omitempty"`
	Labels []streamLabel          `json:"i,omitempty"    hotupdatable:"false,key=name,hotwhen=live:true"`
	List   []*stream              `json:"j,omitempty"`
	Spot   *streamPart            `json:"k,omitempty"    hotupdatable:"false,presence"`
	Last   *float64               `json:"last,omitempty"`
}

type streamPart struct {
	Text string      `json:"text,omitempty" hotupdatable:"false"`
	Deep *streamDeep `json:"deep,omitempty" hotupdatable:"false"`
}

// streamDeep fills a piece with a few levels, since its JSON name is long. deepest is as deep as real configurations can be.
type streamDeep struct {
	Text string      `json:"text,omitempty"`
	Deep *streamDeep `json:"deepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeepdeep,omitempty"`
}

const deepest = 50

type streamKeyed struct {
	Name string      `json:"name"`
	Part *streamPart `json:"part,omitempty" hotupdatable:"false"`
}

type streamLabel struct {
	Name string `json:"name"`
	Live bool   `json:"live"`
}

// deep is an object of so many levels with nothing at the bottom.
func deep(levels int) *streamDeep {
	d := &streamDeep{}
	for range levels {
		d = &streamDeep{Deep: d}
	}
	return d
}

// TestPiecesTakeBackWhatIsEmpty: objects that turn out to have nothing left are longer than a piece while they are written on trial.
func TestPiecesTakeBackWhatIsEmpty(t *testing.T) {
	s, err := hotupdate.SchemaOf[stream]()
	require.NoError(t, err)
	long := strings.Repeat("n", 3*piece)
	for _, offset := range []int{
		0, 1, piece - 40, piece - 12, piece - 11, piece - 10, piece - 9, piece - 8, piece - 7, piece - 6, piece - 5, piece, piece + 1,
	} {
		fill := strings.Repeat("x", offset)
		for _, tc := range []struct {
			name   string
			config stream
			want   string
		}{
			{"nested objects", stream{Map: map[string]*streamPart{"m": {Deep: deep(deepest)}}}, `,"e":{"m":{}}`},
			{"key of a vanished element", stream{HotKey: []streamKeyed{{Name: long, Part: &streamPart{Deep: deep(2)}}}}, ``},
			{"key of a hot map", stream{Hot: map[string]*streamPart{long: {Deep: deep(2)}, "nil": nil}}, ``},
			{"selector of a vanished element", stream{Labels: []streamLabel{{Name: long, Live: true}}}, ``},
			{"array of nothing", stream{Array: [3]streamPart{1: {Deep: deep(deepest)}}}, ``},
			{
				"vanished among others",
				stream{Hot: map[string]*streamPart{"a": {Text: long}, long: {}, "z": {Text: "z"}}},
				`,"c":{"a":{"text":"` + long + `"},"z":{"text":"z"}}`,
			},
			{"list of emptied", stream{List: []*stream{{Empty: &stream{Hot: map[string]*streamPart{long: {}}}}, nil}}, `,"j":[{},{}]`},
			{"presence of emptied", stream{Spot: &streamPart{Deep: deep(deepest)}}, `,"k":{}`},
			{
				"emptied before others",
				stream{Empty: &stream{Hot: map[string]*streamPart{long: {}}}, Set: []streamPart{{Text: "s"}, {}}, Last: new(0.0)},
				`,"g":[{"text":"s"},{}],"last":0`,
			},
		} {
			tc.config.Fill = []string{fill}
			want := `{"a":["` + fill + `"]` + tc.want + `}`
			document, err := s.Document(tc.config)
			require.NoError(t, err)
			assert.Equal(t, want, string(document), "%s after %d bytes", tc.name, offset)
			sum, err := s.Hash(tc.config)
			require.NoError(t, err)
			assert.Equal(t, hotupdate.Sum(sha256.Sum256(document)), sum, "%s after %d bytes", tc.name, offset)
		}
	}
}
