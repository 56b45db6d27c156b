module roundtrip.example/go-shared-memory

go 1.26.0

require (
	golang.org/x/sys v0.50.0
	roundtrip.example/go-protocol v0.0.0
)

replace roundtrip.example/go-protocol => ../go-protocol
