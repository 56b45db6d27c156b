module roundtrip.example/go-protocol

go 1.22
