package text

import "strings"

// syllableExceptions holds words that the rules would miscount.
var syllableExceptions = func() map[string]int {
	m := make(map[string]int)
	for n, list := range exceptionLists {
		for w := range strings.FieldsSeq(list) {
			m[w] = n
		}
	}
	return m
}()

var exceptionLists = map[int]string{
	1: `aches drawer isle juan pier prayer priest seoul tier`,
	2: `acme ahmed alfred argue asia aug averaged belgium belleville berkeley bluetooth bluish brilliant bryan
		bryant business cafe catholic cd charleston chelsea chile chloe chocolate choir cleveland coleman colonel
		cooper cruelty dc desperate diamond dj duo eu evening eyebrows farewell fire firing flour flyer frederick
		frontier genius genre georgia giant guinea hire hiring hour iceland interest iq jared jesse joel joey jose
		jr julia leicester leonard liam liar limestone lion livestock louis louise luis lyon manuel maybe mccain md
		mg minecraft mr naive naked nike noah ok opera our pc people pierre platinum pm premier princeton privilege
		righteous russia ryan samuel several shakespeare soldier someone sour sovereign spokesman sr theory tire tv
		uk uv vs wednesday whereas wicked widened wire wireless xbox`,
	3: `aaa abc abs acquire acquiring afl albeit alien angeles anime anyone atm australia averages bbc beautifully
		businessman cbs cdc ceo cia cnn comedy convenience convenient cycling decorative desire diego differently
		dna dvd elaborate element empire entire epa especially everyday everything everywhere fbi fcc fda finale
		firearms forensic forever gabriel gambling gdp genuine gps heroic heroin hiv homeowner ibm idea imagery
		inspired irs israel julian libya linear llc louisville ltd malaysia mcdonald mercedes militia mohammed
		montgomery montreal moreover mph mtv nba nbc nfl nuclear ourselves overseas parliament patricia pdf phd
		pneumonia ppm recipe recovery recruiting require requirement reunion seattle settling shareholders sierra
		simpler solely somerset sovereignty struggling suicide temperature tokyo twentieth url usa usb valuable
		vegetable vienna vip wanaque wherever whoever wyoming`,
	4: `arguably asap coalition coincidence comedian critically desperately diabetes edinburgh elementary
		emotionally enabling espn etc everybody feb fireplaces hierarchy html http indonesia initiative inquiries
		laboratory marijuana nevertheless physically recycling retirement romania satisfactory technically
		unreasonable ussr venezuela veterinary whatsoever`,
	5: `haloacetic bmw christianity continuity experiencing historically louisiana minneapolis parliamentary politically`,
	6: `trichloroethylene`,
	7: `tetrachloroethylene radioactivity`,
}

// abbreviationSyllables are said in full when a full stop follows.
var abbreviationSyllables = map[string]int{
	"mr": 2, "mrs": 2, "ms": 1, "dr": 2, "st": 1, "vs": 2, "etc": 4, "co": 3, "inc": 5, "corp": 4, "jr": 2, "sr": 2,
	"no": 2, "approx": 4, "dept": 3, "ave": 3, "apt": 3, "tel": 3, "ext": 3,
	"jan": 4, "feb": 4, "aug": 2, "sept": 3, "oct": 3, "nov": 3, "dec": 3,
}

// saidAsWord are acronyms that are said as a word; spelledOut are longer ones
// that are not.
var (
	saidAsWord = wordSet(`ansi aids fema osha nasa niosh merv laser radar nato unicef opec swat scuba medicaid hipaa snap tanf paad
		stop help more why ayuda start run cold hot tap now wait free boil danger urgent warning note use risk call text`)
	spelledOut = wordSet(`njdep atsdr ucmr njdws usda hiv epa mclg`)
)
