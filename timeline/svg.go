package timeline

import (
	"fmt"
	"html"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
)

// svg writes a picture. Its colours are classes, so that the same picture
// fits the page, whose style sheet names them, and a file of its own.
type svg struct {
	strings.Builder
	width, height int
}

// pictureStyle is the style of a picture that stands alone.
const pictureStyle = `
svg{font:12px ui-sans-serif,system-ui,"Segoe UI",Helvetica,Arial,sans-serif;background:#fcfbf9}
text{fill:#24272d}.quiet{fill:#6a6f78}.small{font-size:11px}.mono{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:11px}
.rule{stroke:#e3e0d9}.axis{stroke:#b9b6ae}.order{stroke:#b9b6ae;fill:none}.sched{stroke:#3a6ea5;fill:none}.lost{stroke:#c2410c;fill:none}
.ok{fill:#3a78b5}.fail{fill:#e09f3e}.unknown{fill:#9aa0a8}.pending{fill:#d3d0c9}.median{stroke:#3a78b5;fill:none}.worst{stroke:#c2410c;fill:none}
.net{fill:#7a5ba8}.disk{fill:#9a6b12}.process{fill:#4a5058}.clock{fill:#1f7a72}.wash{fill:#7a5ba8;opacity:.09}.strong{font-weight:600}.halo{paint-order:stroke;stroke:#fcfbf9;stroke-width:4px;stroke-linejoin:round}
.box{fill:#fff;stroke:#b9b6ae}.step{fill:#fff;stroke:#6a6f78}.bad{fill:#c2410c;stroke:#c2410c}.failure{fill:#c2410c;stroke:#c2410c}.failtext{fill:#c2410c;font-weight:600}
@media (prefers-color-scheme:dark){svg{background:#16181c}text{fill:#e6e4df}.quiet{fill:#9a9ea6}.rule{stroke:#2b2e34}.axis,.order{stroke:#50545c}
.sched{stroke:#7fb0e0}.lost,.worst{stroke:#f0875a}.median{stroke:#7fb0e0}.ok{fill:#5b97d1}.box,.step{fill:#1e2126}.pending{fill:#40444b}
.wash{fill:#a98bd6;opacity:.12}.halo{stroke:#16181c}.net{fill:#a98bd6}.disk{fill:#d2a24c}.process{fill:#aab0b8}.clock{fill:#5cbcb2}.bad,.failure{fill:#f0875a;stroke:#f0875a}.failtext{fill:#f0875a}}
`

// file returns the picture as a file.
func (s *svg) file(title string) []byte {
	return []byte(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n<title>%s</title>\n<style>%s</style>\n%s</svg>\n",
		s.width, s.height, s.width, s.height, safe(title), pictureStyle, s.String()))
}

// inline returns the picture as a part of the page.
func (s *svg) inline(id, title string) string {
	return fmt.Sprintf(`<svg id="%s" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n%s</svg>\n",
		id, s.width, s.height, s.width, s.height, safe(title), s.String())
}

func (s *svg) printf(format string, args ...any) {
	fmt.Fprintf(s, format, args...)
	s.WriteByte('\n')
}

// text places a text; class may hold several.
func (s *svg) text(x, y float64, class, anchor, text string) {
	s.printf(`<text x="%s" y="%s" class="%s" text-anchor="%s">%s</text>`, coord(x), coord(y), class, anchor, safe(text))
}

func (s *svg) rect(x, y, w, h float64, class, tip string) {
	s.printf(`<rect x="%s" y="%s" width="%s" height="%s" class="%s">%s</rect>`, coord(x), coord(y), coord(w), coord(h), class, hint(tip))
}

func (s *svg) line(x1, y1, x2, y2 float64, class string) {
	s.printf(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, coord(x1), coord(y1), coord(x2), coord(y2), class)
}

func hint(tip string) string {
	if tip == "" {
		return ""
	}
	return "<title>" + safe(tip) + "</title>"
}

// coord writes a coordinate with one decimal at most.
func coord(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// safe makes text fit for HTML and SVG, in elements and in quoted attributes.
func safe(s string) string { return html.EscapeString(artifact.Visible(s)) }
