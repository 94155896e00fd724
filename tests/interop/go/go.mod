module interop

go 1.19
