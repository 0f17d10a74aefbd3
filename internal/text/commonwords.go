package text

import "strings"

// commonWords gives the votes of a common word, in the order of languages. A
// word of several languages splits its vote.
var commonWords = func() map[string][len(languages)]float64 {
	m := make(map[string][len(languages)]float64)
	for i, list := range [...]string{englishWords, spanishWords, portugueseWords, frenchWords, creoleWords} {
		seen := make(map[string]bool)
		for w := range strings.FieldsSeq(list) {
			if w = fold(w); seen[w] {
				continue
			}
			seen[w] = true
			v := m[w]
			v[i] = 1
			m[w] = v
		}
	}
	for w, v := range m {
		sum := 0.0
		for i := range v {
			v[i] *= likely[i]
			sum += v[i]
		}
		for i := range v {
			v[i] /= sum
		}
		m[w] = v
	}
	return m
}()

// likely is how often each language is met; a word that several share splits
// its vote so.
var likely = [len(languages)]float64{1, 1, 0.6, 0.5, 0.6}

const englishWords = `
	the a an and or but if then so because as of at by for with from to in on off out up down over under about into
	onto than that this these those there here where when why how what which who whom whose i me my mine myself you your
	yours he him his she her hers it its we us our ours they them their is am are was were be been being do does did
	doing done have has had having can could will would shall should may might must not no nor yes too very just only
	also still yet again ever never always any some all both each every many much more most less few other another
	same such own after before until while during since between through please thanks thank help need want know think
	say said tell told get got give take took make made go going gone come came see saw look find found use used put
	ask asked call called try tried work keep let feel felt mean means show
	dont doesnt didnt cant couldnt wont wouldnt shouldnt isnt arent wasnt werent aint im ive ill id youre hes shes its
	theyre theres thats whats wheres hows whos lets youve weve
	don't doesn't didn't can't couldn't won't wouldn't shouldn't isn't aren't wasn't weren't ain't i'm i've i'll i'd
	you're he's she's it's they're there's that's what's where's how's who's let's haven't hasn't
	u ur r n wat wut wats plz pls thx ty cuz bc tho thru w/ gonna wanna gotta kinda lol omg smh idk asap ppl yall
	y'all wud cud shud frm abt rn tmrw hows hey hi hello
	water drink drinking tap faucet safe lead pipe pipes test tested filter boil boiling notice baby kid kids child
	house home old new bad good dirty brown clean smell smells taste sick doctor long is-it ok-to yr yrs year years
	day days month months number amount level limit system city school landlord bill pay money today now people
	someone anyone anything something nothing everything man woman guy girl boy mom dad son daughter wife husband
	street fire gas smoke air outside inside check change first last next back well kill hurt hurts die dead died`

const spanishWords = `
	el la los las un una unos unas y o u pero si no ni que qué de del al a en con sin por para pa según sobre entre
	hasta desde hacia como cómo cuando cuándo donde dónde quien quién cual cuál cuanto cuánto cuanta cuánta cuantos cuantas
	porque porqué muy más menos ya aún todavía también tampoco solo sólo siempre nunca nada nadie algo alguien algun
	alguna ningun ninguna otro otra otros otras mismo misma todo toda todos todas mucho mucha muchos muchas poco poca
	yo tú usted ustedes él ella ellos ellas nosotros me te se le les lo nos mi mis tu tus su sus nuestro nuestra mío mía
	este esta esto estos estas ese esa eso esos esas aquel aquella aquí allí ahí allá acá
	es son era eran fue fueron ser soy eres somos está están estaba estaban estar estoy estás estamos hay había hubo
	ha han he has haber tiene tienen tengo tenía tener puede pueden puedo podemos poder podría debo debe deben hacer hace
	hacen hago hizo hacemos va van voy vamos ir sale salen salió dice dicen dijo dijeron decir quiero quiere quieren
	necesito sabe saben saber sé doy da dan dar dio usar uso uso usan tomar tomo toma toman tomó tomamos beber
	ayuda ayúdenme gracias favor hola buenas buenos días tardes noches disculpe perdón señor señora
	q k ke xq pq xk x d tb tmb toy ta tamos tas aki ai ase asen ase aser ahorita nomas verdad bb bn ntp pue pos
	agua plomo llave grifo tubería tuberías tubo tubos tomar segura seguro filtro hervir hiervo herví aviso bebé niño
	niños niña hijo hija hijos casa cuarto leche cloro olor huele sabor sale prueba análisis límite nivel escuela dueño
	casero factura recibo cuenta pagar gotas galón calle ciudad hoy ayer mañana ahora después antes luego año años mes
	meses semana día horas minutos mamá papá esposo esposa hermano hermana tía tío abuela vecino humo aire gente persona
	cuesta malo mala bueno buena bien mal viejo vieja nuevo nueva cada primera vez veces peor mejor mucho debajo dentro
	fuera arriba junto`

const portugueseWords = `
	o a os as um uma uns umas e ou mas se não nao nem que de do da dos das em no na nos nas num numa com sem por pelo
	pela para pra pro até ate desde entre como quando onde quem qual quanto quanta porque pq muito mais menos já ja ainda
	também tambem só sempre nunca nada ninguém ninguem alguém algum alguma outro outra mesmo mesma tudo todo toda todos
	eu você voce vc vcs tu ele ela eles elas nós me te se lhe meu minha meus minhas seu sua seus suas nosso nossa
	este esta isto esse essa isso aquele aquela aqui ali lá
	é eh são sao era foi foram ser sou somos está estão estao estava estou tá ta tô to tava tem têm tenho tinha ter
	pode podem posso poder deve devo fazer faz fazem faço fez vai vão vao vou vamos ir sai saiu diz dizem disse quero
	quer preciso sabe sei dar deu usar beber tomar bebeu engoliu chegou ficando ficou
	ajuda ajude obrigado obrigada oi olá bom boa dia tarde noite desculpe senhor senhora
	água agua chumbo torneira cano canos ferver fervi aviso alerta bebê bebe criança filho filha casa leite cheiro muito
	gosto teste exame hoje ontem amanhã agora depois ano anos mês mãe mae pai marido esposa irmão gente prédio predio
	aí ai viver morrer morreu mal bem forte tempo jogando queimando roxo minha jeito segura seguro respira respirar respirando
	desmaiou caiu filhos veneno gás vazamento fogo incêndio ligar bater bate sangue febre crianças copo mamadeira poço
	vizinho ajudar cloro sanitária tomou bebendo água-da machucar comi engoli acordar acorda nome`

const frenchWords = `
	le la les un une des du de d' l' et ou mais si ne pas non que qu' qui quoi quel quelle quels quelles dans en sur sous
	avec sans pour par chez entre vers depuis pendant comme comment quand où pourquoi parce très plus moins déjà encore
	aussi toujours jamais rien personne quelque chose autre autres même tout toute tous toutes beaucoup peu
	je j' tu il elle on nous vous ils elles me m' te t' se s' lui leur mon ma mes ton ta tes son sa ses notre nos votre
	vos ce cet cette ces c' cela ça ici là
	est sont était suis es sommes êtes être a ont avait ai as avons avez avoir peut peux peuvent pouvez puis doit dois
	faire fait font fais va vont vais aller dit disent veux veut besoin sait savoir boire bois boit prendre pris bu
	c'est j'ai n'est qu'est l'eau d'eau s'il y'a n'ai est-ce
	aide aidez merci bonjour bonsoir salut svp stp madame monsieur
	eau plomb robinet tuyau tuyaux potable bouillir filtre avis bébé enfant enfants fils fille maison lait odeur gout
	goût test analyse limite école propriétaire facture payer rue ville aujourd'hui hier demain maintenant après avant an
	ans mois semaine jour heures mère père mari femme fumée gens combien dangereux sûre`

const creoleWords = `
	mwen m li nou yo ou w a an la nan pou ak avèk san sou anba nan pa non wi si men oswa epi ke ki kisa kiyès kilè kote
	kijan kouman poukisa konbyen paske tankou lè anpil plis mwens deja toujou janm anyen pèsòn lòt menm tout chak kèk
	se te ap pral ta va ka kapab dwe vle bezwen konnen gen genyen pa'm sa sa-a sila isit la
	fè fe di wè we al ale vini bay ban pran mete kite rete manje bwè bwe bouyi itilize achte peye rele ede respire
	tonbe sonnen bat touye mouri viv reponn
	eske èske mèsi mesi bonjou bonswa tanpri souple
	dlo tiyo plon rès tiyo-a klowoks tès tes filtè avi tibebe timoun pitit fi gason lakay kay lèt let odè gou lekòl
	pwopriyetè bòdwo lari vil jodi yè demen kounye kounya apre anvan ane mwa semèn jou manman papa mari madanm frè sè
	gaz dife lafimen moun anko ankò tèt tet bon move malad doktè lopital ti bibon alam machin je moun`

// shapes are parts of words, an ending with a hyphen before it, that vote for
// a word that is not common: en, es, pt, fr, ht.
var shapes = []struct {
	part  string
	votes [len(languages)]float64
}{
	{"th", [...]float64{0.5, 0, 0, 0.1, 0}},
	{"sh", [...]float64{0.4, 0, 0, 0, 0}},
	{"wh", [...]float64{0.5, 0, 0, 0, 0}},
	{"ck", [...]float64{0.5, 0, 0, 0, 0}},
	{"gh", [...]float64{0.4, 0, 0, 0, 0}},
	{"ee", [...]float64{0.3, 0, 0, 0, 0}},
	{"oo", [...]float64{0.3, 0, 0, 0, 0}},
	{"-ing", [...]float64{0.5, 0, 0, 0, 0}},
	{"-ed", [...]float64{0.3, 0, 0, 0, 0}},
	{"-ly", [...]float64{0.4, 0, 0, 0, 0}},
	{"-er", [...]float64{0.2, 0, 0, 0.1, 0}},
	{"-tion", [...]float64{0.3, 0, 0, 0.3, 0}},
	{"-ness", [...]float64{0.4, 0, 0, 0, 0}},
	{"-cion", [...]float64{0, 0.6, 0, 0, 0}},
	{"-ciones", [...]float64{0, 0.6, 0, 0, 0}},
	{"-dad", [...]float64{0, 0.5, 0, 0, 0}},
	{"-mente", [...]float64{0, 0.4, 0.3, 0, 0}},
	{"-ando", [...]float64{0, 0.3, 0.3, 0, 0}},
	{"-iendo", [...]float64{0, 0.6, 0, 0, 0}},
	{"-aron", [...]float64{0, 0.6, 0, 0, 0}},
	{"-ieron", [...]float64{0, 0.6, 0, 0, 0}},
	{"-amos", [...]float64{0, 0.3, 0.3, 0, 0}},
	{"-ito", [...]float64{0, 0.4, 0, 0, 0}},
	{"-ita", [...]float64{0, 0.4, 0, 0, 0}},
	{"-ado", [...]float64{0, 0.3, 0.2, 0, 0}},
	{"-ada", [...]float64{0, 0.3, 0.2, 0, 0}},
	{"-ido", [...]float64{0, 0.3, 0.2, 0, 0}},
	{"-o", [...]float64{0, 0.2, 0.15, 0, 0}},
	{"-os", [...]float64{0, 0.3, 0.2, 0, 0}},
	{"-as", [...]float64{0, 0.3, 0.2, 0, 0}},
	{"-cao", [...]float64{0, 0, 0.6, 0, 0}},
	{"-coes", [...]float64{0, 0, 0.6, 0, 0}},
	{"-agem", [...]float64{0, 0, 0.5, 0, 0}},
	{"nh", [...]float64{0, 0, 0.5, 0, 0}},
	{"lh", [...]float64{0, 0, 0.5, 0, 0}},
	{"ss", [...]float64{0.1, 0, 0.2, 0.2, 0}},
	{"-aux", [...]float64{0, 0, 0, 0.5, 0}},
	{"-eux", [...]float64{0, 0, 0, 0.5, 0}},
	{"-ez", [...]float64{0, 0.1, 0, 0.4, 0}},
	{"-ment", [...]float64{0.2, 0, 0, 0.3, 0}},
	{"-oi", [...]float64{0, 0, 0, 0.3, 0}},
	{"-syon", [...]float64{0, 0, 0, 0, 0.7}},
	{"-man", [...]float64{0, 0, 0, 0, 0.2}},
	{"wa", [...]float64{0.1, 0, 0, 0, 0.4}},
	{"-ye", [...]float64{0, 0, 0, 0, 0.3}},
}
