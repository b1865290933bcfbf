package hotupdate_test

import (
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/testdata/badtags"
)

// selfPointer is a pointer to itself.
type selfPointer *selfPointer

// namedPointer hides the methods of its target from encoding/json.
type namedPointer *onlyReads

type onlyReads struct {
	Name string `json:"name"`
}

func (*onlyReads) UnmarshalJSON([]byte) error { return nil }

// textByPointer is a text marshaler only behind a pointer, which encoding/json does not take as a map key.
type textByPointer struct{}

func (*textByPointer) MarshalText() ([]byte, error) { return nil, nil }

type opaque struct{ text string }

// namedMarshalers embeds two marshalers, so neither is promoted.
type namedMarshalers struct {
	selfMarshaled   `json:"text"`
	metav1.Duration `json:"duration"`
}

// unsupportedTypeRows are types that JSON cannot carry.
func unsupportedTypeRows() []schemaErrorRow {
	type channel chan int
	type unsupported struct {
		Chan     chan int                `json:"chan"`
		Complex  complex128              `json:"complex"`
		Complex6 *complex64              `json:"complex6"`
		Func     func()                  `json:"func"`
		InArray  [1]channel              `json:"inArray"`
		InMap    map[string]func() error `json:"inMap"`
		InSlice  []**chan<- int          `json:"inSlice"`
		Named    []*namedPointer         `json:"named"`
		Self     selfPointer             `json:"self"`
		Unnamed  struct{ onlyReads }     `json:"unnamed"`
		Unsafe   unsafe.Pointer          `json:"unsafe"`
		UnsafeT  []unsafe.Pointer        `json:"unsafeT"  hotupdatable:"true"`
	}
	type keys struct {
		Any     map[any]string           `json:"any"`
		Array   map[[2]string]string     `json:"array"`
		Bool    map[bool]string          `json:"bool"`
		Float   map[float64]string       `json:"float"`
		Nested  []map[bool]string        `json:"nested"`
		Pointer map[*string]string       `json:"pointer"`
		Struct  map[optionItem]string    `json:"struct"`
		Text    map[textByPointer]string `json:"text"`
	}
	type opaques struct {
		Lock  sync.Mutex        `json:"lock"`
		Map   map[string]opaque `json:"map"`
		Slice []*opaque         `json:"slice"`
		Time  time.Location     `json:"time"`
	}
	return []schemaErrorRow{
		{"unsupported types", errorOf(hotupdate.SchemaOf[unsupported]()), at("unsupported-type", "hotupdate_test.unsupported",
			"Chan", "Complex", "Complex6", "Func", "InArray", "InMap", "InSlice", "Named", "Self", "Unnamed", "Unsafe", "UnsafeT"), "directly, behind pointers and in collections"},
		{"unsupported map keys", errorOf(hotupdate.SchemaOf[keys]()), at("unsupported-map-key", "hotupdate_test.keys",
			"Any", "Array", "Bool", "Float", "Nested", "Pointer", "Struct", "Text"), "member names are texts"},
		{
			"opaque structs", errorOf(hotupdate.SchemaOf[opaques]()),
			at("opaque-struct", "hotupdate_test.opaques", "Lock", "Map", "Slice", "Time"), "what they hold is not in JSON",
		},
		{
			"embedded pointer to an unexported struct", errorOf(hotupdate.SchemaOf[badtags.PointerToUnexported]()),
			at("unsupported-type", "badtags.PointerToUnexported", "hidden"), "encoding/json cannot fill it",
		},
		{
			"embedded and named pointer to an unexported struct", errorOf(hotupdate.SchemaOf[badtags.NamedPointerToUnexported]()),
			at("unsupported-type", "badtags.NamedPointerToUnexported", "hidden"), "encoding/json cannot fill it, and nobody can copy it",
		},
		{
			"embedded and named marshaler that is unexported", errorOf(hotupdate.SchemaOf[namedMarshalers]()),
			at("unsupported-type", "hotupdate_test.namedMarshalers", "selfMarshaled"), "encoding/json panics when it calls the marshaler",
		},
		{"several problems of one field", errorOf(hotupdate.SchemaOf[struct {
			A map[bool]chan int `json:"a" hotupdatable:"false,set,key=name"`
		}]()), slices.Concat(
			at("conflicting-options", "config", "A"), at("unsupported-map-key", "config", "A"), at("unsupported-type", "config", "A"),
		), "whether set fits the type is asked when it is clear that it is meant"},
		{"several problems of one type", errorOf(hotupdate.SchemaOf[struct {
			A map[bool]chan int `json:"a" hotupdatable:"false,set"`
		}]()), slices.Concat(
			at("misplaced-option", "config", "A"), at("unsupported-map-key", "config", "A"), at("unsupported-type", "config", "A"),
		), "key, element and option are wrong on their own"},
	}
}

// rootRows are types that are no configuration.
func rootRows() []schemaErrorRow {
	root := []problem{{Code: "unsupported-root"}}
	const reason = "a configuration is a struct of fields with JSON names"
	return []schemaErrorRow{
		{"root int", errorOf(hotupdate.SchemaOf[int]()), root, reason},
		{"root string behind a pointer", errorOf(hotupdate.SchemaOf[*string]()), root, reason},
		{"root any", errorOf(hotupdate.SchemaOf[any]()), root, reason},
		{"root error", errorOf(hotupdate.SchemaOf[error]()), root, reason},
		{"root map", errorOf(hotupdate.SchemaOf[map[string]string]()), root, reason},
		{"root slice", errorOf(hotupdate.SchemaOf[[]optionItem]()), root, reason},
		{"root array", errorOf(hotupdate.SchemaOf[[2]optionItem]()), root, reason},
		{"root func", errorOf(hotupdate.SchemaOf[func()]()), root, reason},
		{"root channel", errorOf(hotupdate.SchemaOf[chan int]()), root, reason},
		{"root time", errorOf(hotupdate.SchemaOf[time.Time]()), root, "a time is a text"},
		{"root marshaler", errorOf(hotupdate.SchemaOf[selfMarshaled]()), root, "it marshals itself"},
		{"root marshaler by pointer", errorOf(hotupdate.SchemaOf[*taggedText]()), root, "it marshals itself"},
		{"root promoted marshaler", errorOf(hotupdate.SchemaOf[promotedMarshaler]()), root, "it marshals itself"},
		{"root pointer to itself", errorOf(hotupdate.SchemaOf[selfPointer]()), root, "it leads to no struct"},
		{"root pointer to pointer to int", errorOf(hotupdate.SchemaOf[**int]()), root, reason},
		{"root object", errorOf(hotupdate.SchemaOf[struct {
			metav1.TypeMeta   `json:",inline"`
			metav1.ObjectMeta `json:"metadata,omitempty"`

			Spec optionItem `json:"spec"`
		}]()), at("whole-object", "config", "ObjectMeta"), "metadata changes with every write: the spec is to be hashed"},
		{"root opaque", errorOf(hotupdate.SchemaOf[opaque]()), at("opaque-struct", "hotupdate_test", "opaque"), "nothing of it is in JSON"},
	}
}

// TestRootMarshalerIsTold: the error about a struct that marshals itself does not say that it is no struct.
func TestRootMarshalerIsTold(t *testing.T) {
	_, err := hotupdate.SchemaOf[promotedMarshaler]()
	require.EqualError(t, err,
		"hotupdate: hotupdate_test.promotedMarshaler: marshals itself, so that its fields are not what is in its JSON; "+
			"remove its marshaler; one of an embedded type is promoted: give that a field of its own")
	_, err = hotupdate.SchemaOf[int]()
	require.EqualError(t, err, "hotupdate: int: is not a struct of fields; use the versioned struct type of the provider config")
}
