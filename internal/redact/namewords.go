package redact

// plainWords are words that follow "I'm", "this is" or "my name is" and are no
// name.
var plainWords = set(`
	a about above after again all also always am an and another any anybody anyone anything are around as ask asking at away
	back bad be because been before being below best better between big both but by call came can cant can't come could
	daily day days did do does doesn't done don't down drink each either else even ever every everyone everything few first
	for free from full get gets go goes gone good got great had half hard has have having he hello help her here hers hey hi
	high him his home hot house how however i if ill in inside instead into is isn't it its just keep kid kids know last late
	least left less like little live lives long look looks lot low made make many maybe me mean mine more most much must my
	name need never new next nice no nobody none nor not nothing now of off often ok okay old on once one only open or other
	our ours out outside over own part people please pls possible pretty put quite rather ready real really right said same
	saw say says see seen send sent she should since so some somebody someone something soon sorry still stop such sure take
	tell than thank thanks that that's the their theirs them then there these they thing things think this those though
	through time to today told tomorrow tonight too took tried true try two under until up urgent us use used usual very
	wait want wants was wasn't way we week weeks well went were what what's when where which while who whole whose why will
	wish with within without won't work would wrong yes yesterday yet you your yours
	scared worried afraid nervous anxious sick ill pregnant tired confused upset angry mad fine sad sorry curious allergic
	disabled retired unemployed homeless elderly diabetic dizzy bleeding dying alone available happy glad serious concerned
	thirsty hungry freezing poor broke stuck lost late early busy interested responsible unable able aware certain
	important safe unsafe ridiculous crazy insane terrible horrible awful disgusting gross weird strange normal common
	emergency urgent question questions about reported called resident residents tenant renter owner landlord mother father
	mom dad parent parents grandmother grandma nurse teacher student patient worker plumber neighbor customer member
	single married male female man woman boy girl adult senior veteran immigrant citizen black white brown green yellow red
	blue orange gray grey clear cloudy dirty clean cold warm
	water lead copper pfas pfoa pfos epa cdc fda dep njdep who nsf ansi usa us u.s nj ny pa newark jersey york essex passaic
	pequannock wanaque belleville bloomfield elizabeth orange irvington kearny trenton camden paterson flint chicago
	pennsylvania america american english spanish city county state town ward street avenue school schools park
	department health program office hotline line service pipe pipes tap faucet filter filters test tests notice report
	bill account number address email phone level levels limit rule act section method chlorine bleach nitrate arsenic
	fluoride bacteria legionella boil boiling bottled brita pur zero monday tuesday wednesday thursday friday saturday
	sunday january february march april may june july august september october november december
	christmas ramadan covid medicaid medicare snap wic lihwap whatsapp facebook google
	al algo algún alguien ahora ahí allá alto antes año años aquí así aún aunque ayer ayuda bien bueno buena buenas buenos
	cada casa casi como cómo con cual cuál cuando cuándo cuánto da dar de del desde después dice día días donde dónde dos e
	el él ella ellos en entonces era es esa ese eso está esta estaba están estar este esto estoy favor fue fuera gente
	gracias ha hace hacer han hasta hay he hola hoy igual ir la las le les lo los luego mal malo mala mañana más mas me mejor
	menos mes mi mí mis mismo mucho mucha muchos muy nada nadie ni ninguna ningún no nos nosotros nuestra nuestro nueva nuevo
	nunca o otra otro para pero persona personas poco por porque primera primero pues puede puedo que qué quien quién quiero
	quiere se sé ser será si sí siempre sin sobre solo sólo son soy su sus también tan tanto te tengo tener tiene todo toda
	todos todavía tu tú tus un una unas uno unos usted ustedes va vamos van ver vez vieja viejo vivo vive voy y ya yo necesito
	agua plomo cloro llave tubería filtro español inglés ingles espanol residente inquilino inquilina madre padre mamá papá
	abuela abuelo paciente diabético diabética embarazada alérgica alérgico mayor maestra maestro enfermera trabajador
	trabajadora dueña dueño mexicano mexicana puertorriqueña dominicana dominicano casada casado soltera soltero sola
	nuevo jersey lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio agosto
	septiembre octubre noviembre diciembre desde escribe escribo llamo pregunta preocupada preocupado enferma enfermo
	cansada cansado segura seguro urgente emergencia importante`)

// surnames are plain words that are family names as well.
var surnames = set(`park brown green black white gray grey young long rose may june april grant wells hope good little
	last early english spanish american newark jersey york camden flint orange love casa rojas mayor nurse plumber teacher`)

// firstNames are common first names of the United States, English and Spanish,
// that are not common words as well.
var firstNames = set(`
	james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony donald steven
	andrew paul joshua kenneth kevin brian george timothy ronald jason edward jeffrey ryan jacob gary nicholas eric jonathan
	stephen larry justin scott brandon benjamin samuel gregory alexander patrick jack dennis jerry tyler aaron jose
	adam nathan henry zachary douglas peter kyle noah ethan jeremy walter christian keith roger terry austin sean gerald
	carl harold dylan arthur lawrence jordan jesse bryan bruce gabriel joe logan alan juan albert willie elijah wayne randy
	vincent mason roy ralph bobby russell philip eugene louis harry howard fred devin marcus tyrone jamal darnell
	mary patricia jennifer linda barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley kimberly
	emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela
	shirley emma brenda pamela nicole anna samantha katherine christine debra rachel carolyn janet maria olivia heather
	helen catherine diane julie victoria joyce lauren kelly christina ruth joan virginia judith evelyn hannah andrea megan
	cheryl jacqueline madison teresa abigail sophia martha sara gloria janice kathryn ann isabella judy charlotte julia
	jane alice jean denise frances danielle marilyn natalie beverly diana brittany theresa kayla alexis lori marie
	tiffany keisha latoya ebony tamika aisha fatima lena rosa wei mei
	josé luis carlos jesus jesús francisco miguel antonio alejandro pedro manuel jorge roberto fernando rafael ricardo
	eduardo sergio javier raul raúl mario oscar óscar victor víctor ramon ramón ruben rubén enrique alberto diego pablo
	arturo julio cesar césar hector héctor guillermo gustavo armando alfredo ernesto felipe andres andrés santiago mateo
	ana carmen guadalupe lupe juana margarita josefina leticia alicia elena isabel rosario yolanda veronica verónica
	silvia sofia sofía adriana claudia beatriz luisa lucia lucía gabriela daniela mariana fernanda valeria camila ximena
	esperanza consuelo pilar mercedes catalina irma norma raquel blanca esther yesenia maribel xiomara altagracia dulce`)
