package safety
import ("testing";"os";"encoding/json";"strings";"fmt";"math";"math/rand";"sort")
type zrow struct{ID,Text,Lang,Route string; Also []string}
func zload(f string)[]zrow{ d,_:=os.ReadFile(f); var o []zrow; for _,l:=range strings.Split(strings.TrimSpace(string(d)),"\n"){var x zrow; json.Unmarshal([]byte(l),&x); o=append(o,x)}; return o}
func (r *Router) zfeat(text string)map[string]float64{
 m:=r.newMatcher(tokenize([]string{text}))
 f:=map[string]float64{}
 prev:="^"
 for _,t:=range m.tokens{ w:=squeeze(t.text,1); if w[0]>='0'&&w[0]<='9'{w="#"}
  f["w:"+w]=1; if len(w)>5{f["p:"+w[:5]]=1}; f["b:"+prev+" "+w]=1; prev=w
  for _,s:=range r.spellings[t.text]{f["w:"+s]=1} }
 for c:=range r.concepts{ if len(m.concept(c))>0{ f["c:"+r.concepts[c].name]=1.5 } }
 n:=0.0; for _,v:=range f{n+=v*v}; n=math.Sqrt(n); for k:=range f{f[k]/=n}
 return f}
type zmodel struct{ W map[string]map[string]float64; B map[string]float64 }
func ztrain(feats []map[string]float64, ys []string, classes []string, l2 float64, epochs int) zmodel{
 m:=zmodel{map[string]map[string]float64{},map[string]float64{}}
 idx:=map[string]int{}; for i,c:=range classes{idx[c]=i}
 W:=map[string][]float64{}; B:=make([]float64,len(classes))
 keys:=make([][]string,len(feats)); for i,f:=range feats{ for k:=range f{keys[i]=append(keys[i],k); if W[k]==nil{W[k]=make([]float64,len(classes))}}; sort.Strings(keys[i])}
 rng:=rand.New(rand.NewSource(1)); ord:=rng.Perm(len(feats))
 for e:=0;e<epochs;e++{ lr:=3.0/(1+float64(e)*0.2); rng.Shuffle(len(ord),func(i,j int){ord[i],ord[j]=ord[j],ord[i]})
  for _,i:=range ord{ s:=append([]float64(nil),B...); for _,k:=range keys[i]{ for c:=range s{s[c]+=W[k][c]*feats[i][k]}}
   mx:=s[0]; for _,v:=range s{mx=math.Max(mx,v)}; z:=0.0; for c:=range s{s[c]=math.Exp(s[c]-mx); z+=s[c]}
   y:=idx[ys[i]]
   for c:=range s{ g:=s[c]/z; if c==y{g-=1}; B[c]-=lr*0.1*g; for _,k:=range keys[i]{ W[k][c]-=lr*(g*feats[i][k]+l2*W[k][c]) } } } }
 for k,v:=range W{ m.W[k]=map[string]float64{}; for c,cl:=range classes{m.W[k][cl]=v[c]}}
 for c,cl:=range classes{m.B[cl]=B[c]}
 return m}
func (m zmodel) prob(f map[string]float64, classes []string)(best string,p float64){
 s:=map[string]float64{}; mx:=-1e9
 for _,c:=range classes{ s[c]=m.B[c]; for k,v:=range f{ s[c]+=m.W[k][c]*v }; mx=math.Max(mx,s[c])}
 z:=0.0; for _,c:=range classes{s[c]=math.Exp(s[c]-mx); z+=s[c]}
 none:=s["none"]/z; bp:=-1.0
 for _,c:=range classes{ if c!="none"&&s[c]/z>bp{bp=s[c]/z;best=c}}
 return best,1-none}

func TestModel(t *testing.T){
 r,err:=New(Core()); if err!=nil{t.Fatal(err)}
 E:=map[string]bool{"life_threat":true,"blue_baby":true,"swallowed":true,"fumes":true,"self_harm":true,"gas_fire":true,"carbon_monoxide":true,"violence":true,"threat":true,"tampering":true}
 core:=func(x string)string{ if E[x]{return x}; return "none"}
 var F []map[string]float64; var Y []string
 add:=func(f string){ for _,x:=range zload(f){F=append(F,r.zfeat(x.Text)); Y=append(Y,core(x.Route))}}
 for _,n:=range []string{"own2","own3","own4"}{add("/tmp/safety/"+n+".jsonl")}; add("testdata/safety-own.jsonl")
 if os.Getenv("GRID")!=""{ seen:=map[string]int{}; for i,x:=range zload("/tmp/safety/grid.jsonl"){ seen[x.ID]++; if seen[x.ID]>1&&(i%97!=0){continue}; F=append(F,r.zfeat(x.Text)); Y=append(Y,x.Route)}}
 add("/tmp/safety/own5.jsonl")
 var classes []string; for c:=range E{classes=append(classes,c)}; classes=append(classes,"none"); sort.Strings(classes)
 dev:=zload("testdata/safety-dev.jsonl"); var df []map[string]float64; for _,x:=range dev{df=append(df,r.zfeat(x.Text))}
 ths:=[]float64{0.3,0.4,0.5,0.6,0.7}
 tp:=map[float64]int{};fn:=map[float64]int{};fp:=map[float64]int{};crit:=map[float64]int{}
 for fold:=0;fold<4;fold++{
  TF:=append([]map[string]float64(nil),F...);TY:=append([]string(nil),Y...)
  for i,x:=range dev{ if i%4!=fold{TF=append(TF,df[i]);TY=append(TY,core(x.Route))}}
  m:=ztrain(TF,TY,classes,1e-5,15)
  for i,x:=range dev{ if i%4!=fold{continue}; b,p:=m.prob(df[i],classes); _ = b
   for _,th:=range ths{ fire:=p>th
    if E[x.Route]{ if fire{tp[th]++}else{fn[th]++; if x.Route=="life_threat"||x.Route=="swallowed"||x.Route=="self_harm"||x.Route=="blue_baby"{crit[th]++}} } else if x.Route=="none"&&fire{fp[th]++; if th==0.4{fmt.Printf("FP %.2f %s %s\n",p,b,x.Text)}} }
   if E[x.Route]&&p<0.4{fmt.Printf("FN %.2f %s %s\n",p,x.Route,x.Text)}
  }}
 for _,th:=range ths{ fmt.Printf("CV th %.1f recall %.3f prec %.3f crit %d\n",th,float64(tp[th])/float64(tp[th]+fn[th]),float64(tp[th])/float64(tp[th]+fp[th]),crit[th])}
 for i,x:=range dev{F=append(F,df[i]);Y=append(Y,core(x.Route))}
 m:=ztrain(F,Y,classes,1e-5,15)
 for _,q:=range []string{"questions-dev","questions-smoke-dev"}{ for _,x:=range zload("/work/shared/data/kb/"+q+".jsonl"){ b,p:=m.prob(r.zfeat(x.Text),classes); if p>0.35{fmt.Printf("Q %.2f %s %s\n",p,b,x.Text)}}}
 d,_:=os.ReadFile("/work/shared/data/kb/facts.jsonl"); n,k:=0,0
 for _,l:=range strings.Split(string(d),"\n"){ var x struct{Statement string}; json.Unmarshal([]byte(l),&x); if x.Statement==""{continue}; n++; b,p:=m.prob(r.zfeat(x.Statement),classes); if p>0.4{k++; fmt.Printf("F %.2f %s %s\n",p,b,x.Statement)}}
 fmt.Println(n,k,len(m.W))
}
