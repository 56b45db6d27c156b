module roundtrip.example/pipe

go 1.19
