package lazysyncquorum

import "testing"

func TestBug(t *testing.T) { Case().Test(t) }
