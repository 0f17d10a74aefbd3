package text

import (
	"regexp"
	"strings"
)

// reactions are the phrases of reactions, by language: weak, strong. They are
// matched on feltText; the first group is what counts. In a phrase {much} is
// stress, {state} how a person may feel, {event} what a thing may be like for
// them, {end} where a clause ends or goes on about the person.
var reactions = map[string][2][]*regexp.Regexp{
	"en": {phrasesOf(enParts, `
		((?:that|this|it|which) ?(?:s|is|was|sounds|seems|feels|looks|must be|must feel|must have been|can be|can feel|could be|has to be|would be|would feel) {much}{event}){end}
		((?:thats|its) {much}{event}){end}
		\. ((?:so |how |very )?(?:scary|frightening|awful|terrifying|heartbreaking)) (?:stuff |thing )?(?:\.|,)
		(what an? (?:awful|terrible|scary|frightening|hard|rough|horrible|tough) (?:thing|day|week|night|time|way|spot|place|situation))
		(with (?:a|an|your|the|little|small|young) (?:\w+ ){1,4}(?:, )?(?:that|this|it) (?:is|must be) {much}{event}){end}
		((?:it|that) makes {much}(?:total |complete |perfect |good |a lot of )?sense (?:to be|to feel|that you are|that youre|that you feel|youre|you are|you feel|why you|you would be|youd be) {much}{state})
		((?:being|feeling) {much}{state} makes (?:total |complete |perfect )?sense)
		(thats an? (?:\w+ )?(?:reasonable|natural|fair|understandable|human|very good|good) (?:thing|question|worry|reaction|concern) to (?:want to )?(?:\w+))
		((?:thats|it is|its|that is|this is) {much}(?:natural|understandable|ok|okay|alright|all right|only human|normal|fair) to (?:be|feel) {much}{state})
		((?:thats|its|that is|it is|this is) {much}understandable)
		(anyone would (?:be|feel) {much}{state})
		((?:that|this|it) would (?:upset|scare|worry|frighten|anger|bother|make) anyone)
		(you (?:must be|sound|seem|look|must feel|are right to be|have every right to be|have a right to be|deserve to be) {much}{state})
		(you have every reason to (?:be|feel) {state})
		(i (?:can )?(?:hear|see|tell|sense|imagine|understand) (?:that |how )?(?:you|youre|this|that) (?:are |is |feel |must be |sound )*{much}(?:{state}|{event}))
		(i hear you){end}
		(i (?:know|understand|can imagine|imagine) how (?:\w+ )?(?:you feel|you must feel|you are feeling|this feels|that feels|hard|scary|awful|frightening|difficult))
		(youre not alone|you are not alone|you are never alone|we are here for you|were here for you|im here for you|i am here for you)
		(hang in there|stay strong|keep your chin up|take heart|dont lose hope|dont give up)
		(dont (?:you )?worry|do not worry|no need to worry|try not to worry|please dont panic|everything (?:will|is going to|is gonna) be (?:ok|okay|fine|alright|all right))
		(i (?:really |do |truly )?(?:wish i could|hope (?:you|your \w+|the \w+|she|he|they|everyone|everything|things|it all)(?: and (?:you|your \w+))? (?:feels?|gets? better|gets? well|recovers?|is|are|will be|stays?|works? out|turns? out|goes well)))
		\. (stay safe|take care|take good care|be well|be safe|be kind to yourself|get well soon|take care of yourself|warm wishes|hugs|sending (?:you )?(?:\w+ )?(?:hugs|love|strength|prayers|thoughts|good thoughts|best wishes)(?: your way)?)(?: now| today| out there| too| and good luck| to you(?: all)?)? (?:\.|,)
		((?:my|our) (?:thoughts|prayers|thoughts and prayers) are with you)
		((?:you are|youre|you re) doing (?:the right thing|everything right|great|so well|your best|all you can))
		(you did (?:the right thing|nothing wrong|everything right|well to ask))
		((?:its|it is|that is|thats|its so|thats so) {much}(?:right|good|wise|smart|brave|kind|fair|thoughtful) (?:of you )?(?:to ask|to check|to reach out|to tell|to say|that you asked|you asked|to look out for))
		((?:good|kind|brave|smart) of you to (?:ask|check|reach out|tell|look))
		(thank you for (?:telling|trusting|sharing|reaching out|asking|looking out|being so)|thanks for (?:telling|trusting|sharing|reaching out|asking|looking out))
		(poor thing|you poor|oh no , (?:that|you)|bless you|bless your heart|congratulations|thats (?:wonderful|great|good|lovely) (?:news|to hear))
		(your (?:worry|fear|anger|concern|frustration) (?:is|makes) (?:real|sense|valid|understandable|fair|justified))
		(you deserve (?:an? (?:real |straight |clear |good )?answer|better|clean|help|to know))`),
		phrasesOf(enParts, `
		((?:im|i am|were|we are|i m|i feel|we feel) {much}sorry)(?: for (?:you|your|what|this|that|all)| to (?:hear|read|learn|see)| that (?:you|your|this|that|it) | about (?:your|this|that|what|all)| this | you | youre | youve | your | ur | u | shes | hes | it | , (?:that|this|you|what|it) | \.)
		\. ((?:so|very|really|terribly|deeply) sorry)(?: for (?:you|your|what)| to (?:hear|read)| that (?:you|your|this)| about (?:your|this|that)| this | you | \.)
		((?:im|i am|i feel|i felt|it makes me|this makes me|that makes me|makes me|were|we are) {much}(?:sad|glad|happy|heartbroken|touched|moved|worried|concerned|scared|frightened|angry|upset|proud|relieved|hopeful|devastated|shaken)) (?:for you|for your|about you|about your (?:\w+ )?(?:baby|child|son|daughter|family|kids|mom|mother|health)|with you|of you|to (?:hear|read|learn|know|see) (?:that |about |of |how |what )?(?:you|your|this|that|it)|that (?:you|your|things|it all)|you|when i|by (?:your|what)|\.|,)
		((?:my|our) hearts? (?:go|goes|breaks?|aches?|hurts|is|sinks|sank)) 
		((?:it|this|that) (?:breaks|broke) my heart|it (?:pains|hurts|saddens|worries|troubles) me (?:to|that you|that your)|this (?:saddens|worries|hurts) me)
		(i (?:really |do |truly )?(?:care about|feel for|ache for|grieve with|worry about|fear for) (?:you|your))
		(i (?:do |really |truly )?feel (?:your|the) (?:pain|fear|worry|anger))
		(i (?:share|feel) your (?:\w+ )?(?:worry|fear|anger|grief|concern|joy|pain|frustration))`)},
	"es": {phrasesOf(esParts, `
		((?:eso|esto|ello|que|da|todo eso) (?:me imagino que |seguro |de verdad |si )?{much}(?:asusta|da {much}miedo|da {much}susto|angustia|preocupa|duele|confunde|molesta|enoja|cansa|agobia|indigna|da {much}rabia|da {much}coraje|da {much}tristeza)(?: mucho| tanto)?){end}
		((?:eso|esto|ello|todo eso) (?:puede|debe|tiene que|ha de) (?:asustar|dar {much}miedo|angustiar|preocupar|doler|confundir|enojar|cansar|molestar)(?: mucho| tanto| a cualquiera)?){end}
		((?:eso|esto|ello|todo eso|que|debe ser|ha de ser|tiene que ser|es|suena) (?:es |debe ser |ha de ser |tiene que ser |suena |puede ser |se oye )?{much}(?:duro|dificil|triste|angustiante|terrible|horrible|aterrador|preocupante|pesado|frustrante|feo|injusto)){end}
		\. (que (?:susto|miedo|pena|angustia|dificil|duro|triste|horror|rabia|coraje|feo)) (?:\.|,)
		(con (?:un|una|su|tu|el|la|los|ninos?|bebes?) (?:\w+ ){1,4}?(?:, )?(?:eso|esto) (?:asusta|es {much}(?:duro|dificil|triste)|da {much}miedo|preocupa)){end}
		(da {much}miedo (?:si|cuando) (?:es|se trata|le pasa|uno))
		((?:se entiende|entiendo|comprendo|es comprensible|se comprende) (?:muy bien |bien )?(?:su|tu|el|que (?:este|se sienta|sienta|tenga|le|te|ande|esta|siente|tiene)) (?:\w+ )?(?:{state}|preocupe|asuste|enoje|moleste|angustie|duela|confunda))
		((?:es|resulta) (?:muy |tan |bien )?(?:natural|comprensible|humano|logico) (?:que (?:este|se sienta|sienta|tenga|le|te) )?(?:estar |sentir |sentirse |tener |un )?{much}(?:{state}|preocupe|asuste|enoje))
		(tiene (?:toda la |mucha )?razon (?:en|de|para) (?:estar |sentirse |tener |preocuparse|enojarse|asustarse)(?:{much}{state})?)
		(cualquiera (?:estaria|tendria|se sentiria|se asustaria|se preocuparia|se enojaria))
		((?:imagino|me imagino|entiendo|comprendo|se|puedo ver|veo) (?:lo |como |que )(?:\w+ )?(?:se siente|te sientes|siente|sientes|asustad\w|preocupad\w|dificil|duro|angustiad\w|angustiante|mal))
		(no esta sol[oa]|no estas sol[oa]|no esta usted sol[oa]|aqui estamos para usted|estoy aqui para usted|cuente con nosotros|estamos con usted|estoy con usted)
		\. (animo|mucho animo|fuerza|mucha fuerza|un abrazo|un abrazo fuerte|cuidese(?: mucho)?|cuidate(?: mucho)?|que se mejore(?: pronto)?|pobrecit[oa]|ay no|felicidades|que gusto) (?:\.|,)
		(le mando un abrazo|te mando un abrazo|no pierda la esperanza|no se rinda|no se desanime)
		(no se preocupe|no te preocupes|todo (?:va a|ira a) (?:estar|salir) bien|todo estara bien|todo saldra bien)
		((?:ojala|espero|deseo|esperamos) (?:y )?(?:que )?(?:usted |su \w+ |el \w+ |la \w+ |todo |pronto |ya )?(?:este|esten|se mejore|se mejoren|mejore|salga|se sienta|siga|se recupere|pueda) (?:\w+ )?(?:bien|mejor|pronto|sano|sana|bueno|buena|tranquil[oa]))
		((?:que bueno|que bien|hace bien|hizo bien|hiciste bien|haces bien|hizo muy bien|hace muy bien) (?:que |en |al )(?:pregunta\w*|preguntar|preguntarlo|decir\w*|avisar|escribir\w*|pidio|pide|pedir|llamar))
		(gracias por (?:decir\w*|contar\w*|confiar|preguntar|escribir\w*|cuidar|avisar\w*|preocuparse))
		((?:hizo|hace|esta haciendo) (?:lo correcto|todo bien|lo que puede|todo lo que puede)|usted no (?:tiene la culpa|hizo nada malo))
		(merece (?:una respuesta|saber|ayuda|que le))
		(quisiera poder (?:ayudar|hacer|darle))`),
		phrasesOf(esParts, `
		((?:lo siento|lo sentimos)(?: mucho| tanto| muchisimo| de verdad| de corazon| en el alma)?) (?:(?:, )?(?:por (?:usted|lo que|su|todo)|que (?:este|tenga|le|les|su|usted|haya|pase)|eso|esto)|\.)
		((?:siento|sentimos|lamento|lamentamos) (?:mucho|muchisimo|tanto|de verdad|de corazon)? ?)(?:lo que (?:le|les|te|esta|paso|pasa|vive|sufre)|que (?:usted|este|tenga|le|les|su|haya)|su (?:perdida|dolor|miedo|situacion|angustia)|tu )
		(me (?:da|dio|causa) (?:mucha |mucho |tanta |gran )?(?:pena|tristeza|gusto|alegria|alivio|dolor|rabia|miedo)) (?:que (?:usted|este|tenga|le|les|su|haya|pase|lo|me)|saber|oir|leer|lo que (?:le|les|te)|por usted|por su|\.|,)
		(me (?:duele|parte el alma|parte el corazon|entristece|alegra|conmueve|apena|angustia|preocupa|rompe el corazon)(?: mucho| tanto)?) (?:que (?:usted|este|tenga|le|les|su|haya|pase|me|lo|pregunte)|saber|oir|leer|lo que (?:le|les|te|usted|cuenta)|por usted|por su|su (?:bebe|salud|hij\w|familia)|usted|\.|,)
		((?:estoy|estamos) {much}(?:triste|tristes|preocupad[oa]s?|contento|contenta|conmovid[oa]|apenad[oa]|asustad[oa])) (?:por (?:usted|su|lo que)|con usted|de (?:saber|leer|oir)|al (?:saber|leer|oir)|\.|,)
		(siento su (?:dolor|miedo|angustia|pena)|comparto su (?:dolor|miedo|preocupacion|angustia|rabia|enojo)|se me parte el (?:alma|corazon))`)},
}

// idleBefore finds, in what stands before a phrase in its sentence, what makes
// it nobody's feeling: a condition, a denial, somebody else.
var idleBefore = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(` (?:if|when|whenever|whether|unless|in case|once) (?:\w+ ){0,4}$| (?:not|never|isnt|arent|wasnt|dont|doesnt|cant|no longer) (?:\w+ ){0,1}$| (?:say|says|said|saying|told|tell|wrote|write|writes|called|heard|think|thinks|thought|post|posted|read) (?:that |us |me |him |her |them |you |people |everyone |the \w+ )*(?:, )?$`),
	"es": regexp.MustCompile(` (?:si|cuando|en caso de que|a menos que) (?:\w+ ){0,4}$| (?:no|nunca|tampoco|ya no) (?:\w+ ){0,1}$| (?:dice|dicen|dijo|dijeron|decir|escribio|cree|creen|piensa) (?:que |la gente |todos )*(?:, )?$`),
}

// The parts of phrases, by language.
var (
	enParts = map[string]string{
		"{much}":  `(?:(?:so|really|very|quite|pretty|a bit|a little|a lot|such|truly|just|too|completely|totally|perfectly|only|more than|rightly|terribly|incredibly|understandably|still) )*`,
		"{state}": `(?:scared|afraid|frightened|terrified|worried|worry|anxious|nervous|upset|angry|mad|frustrated|furious|sad|overwhelmed|exhausted|tired|confused|unsure|stressed|shaken|hurt|alone|lost|concerned|alarmed|uneasy|fed up|ashamed|guilty|hopeless|discouraged|heartbroken|devastated|desperate)`,
		"{event}": `(?:scary|frightening|terrifying|hard|tough|rough|difficult|upsetting|stressful|awful|terrible|horrible|worrying|confusing|frustrating|maddening|sad|heartbreaking|exhausting|unfair|overwhelming|painful|alarming|unsettling|nerve wracking|a lot|tiring|infuriating)`,
		"{end}":   `(?: news| stuff| spot to be in| place to be| thing to| to (?:see|hear|face|go through|live with|deal with|be in|carry|watch)| when (?:it|its|you|your|someone|health|money|a|things|nobody|no one|people)| with (?:a|your|the|kids|little|small|young)| for (?:you|anyone|a parent|any parent|your)| , | \.| and i | and you | at first| , especially)`,
	}
	esParts = map[string]string{
		"{much}":  `(?:(?:muy|bien|tan|tanto|mucho|mucha|bastante|super|demasiado|de verdad|algo|un poco) )*`,
		"{state}": `(?:asustad[oa]s?|miedo|temor|preocupad[oa]s?|preocupacion|angustiad[oa]s?|angustia|nervios[oa]s?|nervios|enojad[oa]s?|enojo|molest[oa]s?|molestia|furios[oa]s?|rabia|coraje|triste|tristes|tristeza|agobiad[oa]s?|cansad[oa]s?|hart[oa]s?|confundid[oa]s?|confusion|frustrad[oa]s?|desesperad[oa]s?|duda|dudas|susto|inquietud)`,
		"{end}":   `(?: a cualquiera| si (?:es|hay|se trata|tiene)| cuando (?:hay|es|se|tiene|nadie|uno)| con (?:un|una|su|ninos|bebes)| para (?:usted|cualquiera|una|un)| de (?:oir|ver|vivir|leer|cargar)| , | \.)`,
	}
)

// phrasesOf compiles phrases, one a line, with their parts filled in.
func phrasesOf(parts map[string]string, lines string) (list []*regexp.Regexp) {
	for line := range strings.Lines(lines) {
		line = strings.Trim(line, "\t\n")
		if line == "" {
			continue
		}
		for name, part := range parts {
			line = strings.ReplaceAll(line, name, part)
		}
		if !strings.HasPrefix(line, `\.`) {
			line = ` ` + line
		}
		list = append(list, regexp.MustCompile(strings.TrimSuffix(line, " ")+`(?:\b| |$)`))
	}
	return list
}
