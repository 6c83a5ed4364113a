module example.test/relationdemo

go 1.19
