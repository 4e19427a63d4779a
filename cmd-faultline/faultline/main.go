// Command faultline works on the files of failing seeds.
package main

func main() {}
