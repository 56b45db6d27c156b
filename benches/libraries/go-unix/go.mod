module roundtrip.example/go-unix

go 1.22

require roundtrip.example/go-protocol v0.0.0

replace roundtrip.example/go-protocol => ../go-protocol
