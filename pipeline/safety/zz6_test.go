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
 r:=zrouter(t)
 sets:=map[string][]zrow{}
 for _,n:=range []string{"own2","own3","own4","own5"}{sets[n]=zload("/tmp/safety/"+n+".jsonl")}
 sets["own"]=zload("testdata/safety-own.jsonl"); sets["dev"]=zload("testdata/safety-dev.jsonl")
 fe:=map[string][]map[string]float64{}
 for n,rows:=range sets{ for _,x:=range rows{fe[n]=append(fe[n],r.zfeat(x.Text))}}
 cl:=map[string]bool{}; for _,x:=range sets["own"]{cl[x.Route]=true}; var classes []string; for c:=range cl{classes=append(classes,c)}; sort.Strings(classes)
 for _,test:=range []string{"dev","own5","own4"}{
  var F []map[string]float64; var Y []string
  ns:=[]string{"own","own2","own3","own4","own5","dev"}
  for _,n:=range ns{ if n==test{continue}; for i,x:=range sets[n]{F=append(F,fe[n][i]);Y=append(Y,x.Route)}}
  m:=ztrain(F,Y,classes,1e-5,15)
  for _,th:=range []float64{0.3,0.4,0.5,0.6,0.7,0.8}{
   tp,fn,fp,ex:=0,0,0,0; both,bfp:=0,0
   for i,x:=range sets[test]{ b,p:=m.prob(fe[test][i],classes); fire:=p>th; v:=r.Triage(Input{Text:x.Text})
    if x.Route!="none"{ if fire{tp++; if b==x.Route{ex++}}else{fn++}; if fire||v.Route!=""{both++} } else { if fire{fp++}; if fire||v.Route!=""{bfp++} } }
   fmt.Printf("%s th %.1f model recall %.3f prec %.3f exact %d | with rules recall %.3f prec %.3f\n",test,th,float64(tp)/float64(tp+fn),float64(tp)/float64(tp+fp),ex,float64(both)/float64(tp+fn),float64(both)/float64(both+bfp))
  }}
}
