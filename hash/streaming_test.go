package hash_test

import (
	"bytes"
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
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

// deep is an object of so many levels with nothing, or text, at the bottom.
func deep(levels int, text string) *streamDeep {
	d := &streamDeep{Text: text}
	for range levels {
		d = &streamDeep{Deep: d}
	}
	return d
}

// texts are mostly short. Some have about the size of a piece, so that pieces end at every position.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		size := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 20), rapid.IntRange(piece-60, piece+20), rapid.IntRange(2*piece-60, 2*piece+20)).Draw(t, "size")
		return strings.Repeat("x", size)
	})
}

func streamParts() *rapid.Generator[streamPart] {
	return rapid.Custom(func(t *rapid.T) streamPart {
		p := streamPart{Text: texts().Draw(t, "text")}
		if rapid.Bool().Draw(t, "with object") {
			p.Deep = deep(rapid.SampledFrom([]int{0, 1, 3, deepest, 600}).Draw(t, "levels"), texts().Draw(t, "bottom"))
		}
		return p
	})
}

func streams(depth int) *rapid.Generator[*stream] {
	parts := rapid.Ptr(streamParts(), true)
	keyed := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) streamKeyed {
		return streamKeyed{Name: texts().Draw(t, "name") + "k", Part: parts.Draw(t, "part")}
	}), 0, 4, func(k streamKeyed) string { return k.Name })
	labels := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) streamLabel {
		return streamLabel{Name: texts().Draw(t, "name") + "l", Live: rapid.Bool().Draw(t, "live")}
	}), 0, 3, func(l streamLabel) string { return l.Name })
	named := rapid.MapOfN(texts(), parts, 0, 4)
	return rapid.Custom(func(t *rapid.T) *stream {
		s := &stream{
			Fill: rapid.SliceOfN(texts(), 0, 3).Draw(t, "fill"), Hot: named.Draw(t, "hot"), HotKey: keyed.Draw(t, "hotkey"),
			Map: named.Draw(t, "map"), Keyed: keyed.Draw(t, "keyed"), Set: rapid.SliceOfN(streamParts(), 0, 3).Draw(t, "set"),
			Labels: labels.Draw(t, "labels"), Spot: parts.Draw(t, "spot"),
		}
		for i := range s.Array {
			s.Array[i] = rapid.OneOf(rapid.Just(streamPart{}), streamParts()).Draw(t, "place")
		}
		if depth > 0 {
			s.Empty = rapid.OneOf(rapid.Just((*stream)(nil)), rapid.Just(&stream{Empty: &stream{}}), streams(depth-1)).Draw(t, "empty")
			s.List = rapid.SliceOfN(rapid.Ptr(rapid.Deferred(func() *rapid.Generator[stream] {
				return rapid.Map(streams(depth-1), func(s *stream) stream { return *s })
			}), true), 0, 2).Draw(t, "list")
		}
		return s
	})
}

func streamSchema(t require.TestingT) *hotupdate.Schema {
	s, err := hotupdate.SchemaOf[stream]()
	require.NoError(t, err)
	return s
}

func appendDocument(t require.TestingT, dst []byte, config any) ([]byte, error) {
	plan, err := fieldplan.Compile(reflect.TypeOf(config), nil)
	require.NoError(t, err)
	return engine.Of(plan).Append(dst, reflect.ValueOf(config))
}

// TestSumIsThatOfTheDocument: a document that is hashed in pieces is the one that is appended.
func TestSumIsThatOfTheDocument(t *testing.T) {
	s := streamSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		config := streams(1).Draw(t, "config")
		prefix := rapid.SampledFrom([]string{"", "{", "prefix,"}).Draw(t, "prefix")
		whole, err := appendDocument(t, []byte(prefix), config)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(whole, []byte(prefix)))
		sum, err := s.Hash(config)
		require.NoError(t, err)
		require.Equal(t, hotupdate.Sum(sha256.Sum256(whole[len(prefix):])), sum)
	})
}

// Objects that turn out to have nothing left are longer than a piece while they are written on trial.
func TestPiecesTakeBackWhatIsEmpty(t *testing.T) {
	s, long := streamSchema(t), strings.Repeat("n", 3*piece)
	for _, offset := range []int{0, 1, piece - 40, piece - 12, piece - 11, piece - 10, piece - 9, piece - 8, piece - 7, piece - 6, piece - 5, piece, piece + 1} {
		fill := strings.Repeat("x", offset)
		for _, tc := range []struct {
			name   string
			config stream
			want   string
		}{
			{"nested objects", stream{Map: map[string]*streamPart{"m": {Deep: deep(deepest, "")}}}, `,"e":{"m":{}}`},
			{"key of a vanished element", stream{HotKey: []streamKeyed{{Name: long, Part: &streamPart{Deep: deep(2, "")}}}}, ``},
			{"key of a hot map", stream{Hot: map[string]*streamPart{long: {Deep: deep(2, "")}, "nil": nil}}, ``},
			{"selector of a vanished element", stream{Labels: []streamLabel{{Name: long, Live: true}}}, ``},
			{"array of nothing", stream{Array: [3]streamPart{1: {Deep: deep(deepest, "")}}}, ``},
			{"vanished among others", stream{Hot: map[string]*streamPart{"a": {Text: long}, long: {}, "z": {Text: "z"}}}, `,"c":{"a":{"text":"` + long + `"},"z":{"text":"z"}}`},
			{"list of emptied", stream{List: []*stream{{Empty: &stream{Hot: map[string]*streamPart{long: {}}}}, nil}}, `,"j":[{},{}]`},
			{"presence of emptied", stream{Spot: &streamPart{Deep: deep(deepest, "")}}, `,"k":{}`},
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

func TestDocumentOfABadValue(t *testing.T) {
	bad := &stream{Fill: []string{strings.Repeat("x", 3*piece)}, List: []*stream{{Last: new(math.NaN())}, {Fill: []string{strings.Repeat("y", 3*piece)}}}, Last: new(math.Inf(1))}
	want := []problem{{"not-finite", "j[0].last"}, {"not-finite", "last"}}
	_, err := streamSchema(t).Hash(bad)
	assert.Equal(t, want, problems(err))

	dst, err := appendDocument(t, []byte("before"), bad)
	assert.Equal(t, want, problems(err))
	assert.Equal(t, "before", string(dst), "dst is returned as it was")
}

func TestDocumentOfAnotherType(t *testing.T) {
	s := streamSchema(t)
	want := []problem{{code: "type-mismatch"}}
	_, err := s.Hash(awsConfig{})
	assert.Equal(t, want, problems(err))
	_, err = s.Document(5)
	assert.Equal(t, want, problems(err))

	want = []problem{{code: "no-schema"}}
	_, err = (*hotupdate.Schema)(nil).Hash(awsConfig{})
	assert.Equal(t, want, problems(err))
	_, err = (*hotupdate.Schema)(nil).HashRaw(nil)
	assert.Equal(t, want, problems(err))
}

// mixed are configurations whose documents are known, and every third is an error that shows only after much was written.
func mixed(n int) (configs []*stream, want []string) {
	for i := range n {
		text := strings.Repeat(strconv.Itoa(i%10), i*700)
		configs = append(configs, &stream{Fill: []string{text}, Keyed: []streamKeyed{{Name: "b"}, {Name: "a"}}})
		want = append(want, `{"a":["`+text+`"],"f":[{"name":"a"},{"name":"b"}]}`)
		if i%3 == 2 {
			configs[i].Last, want[i] = new(math.NaN()), ""
		}
	}
	return configs, want
}

// checkMixed hashes one of the mixed configurations in every way.
func checkMixed(t *testing.T, s *hotupdate.Schema, config *stream, want string) {
	t.Helper()
	sum, err := s.Hash(config)
	doc, docErr := s.Document(config)
	if want == "" {
		for _, err := range []error{err, docErr} {
			assert.Equal(t, []problem{{"not-finite", "last"}}, problems(err))
		}
		assert.Zero(t, sum)
		return
	}
	for _, err := range []error{err, docErr} {
		assert.NoError(t, err)
	}
	assert.Equal(t, hotupdate.Sum(sha256.Sum256([]byte(want))), sum)
	assert.True(t, want == string(doc), "the document of another configuration")
}

func TestPooledRunsDoNotLeak(t *testing.T) {
	s := streamSchema(t)
	configs, want := mixed(24)
	for i := range configs {
		for _, j := range []int{i, 2, i, len(configs) - 1, i} {
			checkMixed(t, s, configs[j], want[j])
		}
	}
}

func TestPooledRunsInGoroutines(t *testing.T) {
	s := streamSchema(t)
	configs, want := mixed(24)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for range 100 {
				i := random.IntN(len(configs))
				checkMixed(t, s, configs[i], want[i])
			}
		})
	}
	all.Wait()
}
