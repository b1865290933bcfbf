package hash

// InPlaceKey is tested on its own: the hash that covers it has only its text.
var InPlaceKey = inPlaceKey
