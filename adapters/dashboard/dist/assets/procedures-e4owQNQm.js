var e=new Map(`D01	exam
D0120	regular checkup
D0140	exam of one problem
D0145	checkup of a child under 3
D0150	full exam
D0160	detailed exam of one problem
D0170	follow-up exam
D0171	exam after surgery
D0180	gum exam
D019	screening
D02	X-ray
D0210	full-mouth X-rays
D0220	X-ray of one tooth
D0230	each further X-ray
D0240	biting-surface X-ray
D0270	1 bitewing X-ray
D0272	2 bitewing X-rays
D0273	3 bitewing X-rays
D0274	4 bitewing X-rays
D0277	upright bitewing X-rays
D0330	panoramic X-ray
D0340	skull X-ray for braces
D0350	photos of the mouth
D0364	3D scan of part of a jaw
D0365	3D scan of the lower jaw
D0366	3D scan of the upper jaw
D0367	3D scan of both jaws
D037	3D imaging
D038	3D imaging
D04	test
D0460	nerve test of teeth
D0470	study models
D05	lab test
D06	risk assessment
D07	X-ray, image only
D08	3D scan, image only
D1110	adult cleaning
D1120	child cleaning
D1206	fluoride varnish
D1208	fluoride treatment
D13	advice on prevention
D1351	sealant
D1352	preventive filling of a molar
D1353	repair of a sealant
D1354	medicine that stops a cavity
D1355	medicine that prevents a cavity
D15	space maintainer
D1551	recementing a space maintainer
D1552	recementing a space maintainer
D1553	recementing a space maintainer
D1556	removal of a space maintainer
D1557	removal of a space maintainer
D1558	removal of a space maintainer
D17	vaccination
D19	vaccination
D21	silver filling
D2140	silver filling, 1 surface
D2150	silver filling, 2 surfaces
D2160	silver filling, 3 surfaces
D2161	silver filling, 4 surfaces or more
D23	white filling
D2330	white filling, front tooth, 1 surface
D2331	white filling, front tooth, 2 surfaces
D2332	white filling, front tooth, 3 surfaces
D2335	white filling, front tooth, 4 surfaces
D2390	white crown, front tooth
D2391	white filling, back tooth, 1 surface
D2392	white filling, back tooth, 2 surfaces
D2393	white filling, back tooth, 3 surfaces
D2394	white filling, back tooth, 4 surfaces or more
D24	gold filling
D25	inlay or onlay, metal
D26	inlay or onlay, white
D27	crown
D2710	resin crown
D2712	resin crown, three quarters
D2720	resin crown on gold
D2721	resin crown on base metal
D2722	resin crown on noble metal
D2740	porcelain crown
D2750	porcelain crown on gold
D2751	porcelain crown on base metal
D2752	porcelain crown on noble metal
D2753	porcelain crown on titanium
D278	three-quarter crown
D2790	gold crown
D2791	base metal crown
D2792	noble metal crown
D2794	titanium crown
D2799	temporary crown
D2910	recementing an inlay or veneer
D2915	recementing a post
D2920	recementing a crown
D2921	reattaching a broken piece of tooth
D2928	ready-made white crown, adult tooth
D2929	ready-made white crown, baby tooth
D2930	steel crown, baby tooth
D2931	steel crown, adult tooth
D2932	ready-made resin crown
D2933	steel crown with a window
D2934	white-faced steel crown, baby tooth
D2940	temporary protective filling
D2941	temporary filling, baby tooth
D2949	base for a crown or filling
D2950	core buildup
D2951	pin for a filling
D2952	cast post and core
D2953	each further cast post
D2954	ready-made post and core
D2955	removal of a post
D2957	each further ready-made post
D296	veneer
D2971	fitting a crown to a partial denture
D2975	cap of the root
D2976	band around a tooth
D2980	crown repair
D2981	inlay repair
D2982	onlay repair
D2983	veneer repair
D2989	removal of decay
D2990	resin treatment of early decay
D2991	mineral treatment of early decay
D3110	covering an exposed nerve
D3120	covering a nearly exposed nerve
D3220	removal of the nerve in the crown
D3221	first opening of the nerve
D3222	partial removal of the nerve
D3230	nerve treatment, front baby tooth
D3240	nerve treatment, back baby tooth
D3310	root canal, front tooth
D3320	root canal, premolar
D3330	root canal, molar
D3331	opening a blocked root canal
D3332	unfinished root canal
D3333	repair of a hole in a root
D3346	root canal done again, front tooth
D3347	root canal done again, premolar
D3348	root canal done again, molar
D335	closing a root tip
D34	root surgery
D3410	root tip surgery, front tooth
D3421	root tip surgery, premolar
D3425	root tip surgery, molar
D3426	root tip surgery, each further root
D3430	filling of a root tip
D3450	removal of one root
D39	other root treatment
D42	gum surgery
D4210	gum reshaping, 4 or more teeth
D4211	gum reshaping, 1 to 3 teeth
D4212	gum reshaping for a filling
D4240	gum flap surgery, 4 or more teeth
D4241	gum flap surgery, 1 to 3 teeth
D4249	crown lengthening
D4260	gum and bone surgery, 4 or more teeth
D4261	gum and bone surgery, 1 to 3 teeth
D4263	bone graft, first place
D4264	bone graft, each further place
D4266	membrane for healing
D4267	membrane for healing
D4270	gum graft
D4273	gum graft from the patient
D4275	gum graft from a donor
D4277	gum graft, first tooth
D4278	gum graft, each further tooth
D432	splint of teeth
D4341	deep cleaning, 4 or more teeth
D4342	deep cleaning, 1 to 3 teeth
D4346	cleaning of inflamed gums
D4355	cleaning before a full exam
D4381	antibiotic at the gum
D4910	gum maintenance cleaning
D4920	change of a gum dressing
D4921	rinsing of gum pockets
D51	denture
D5110	full denture, upper
D5120	full denture, lower
D5130	immediate denture, upper
D5140	immediate denture, lower
D52	partial denture
D5211	resin partial denture, upper
D5212	resin partial denture, lower
D5213	metal partial denture, upper
D5214	metal partial denture, lower
D5225	flexible partial denture, upper
D5226	flexible partial denture, lower
D54	denture adjustment
D55	full denture repair
D56	partial denture repair
D5650	adding a tooth to a partial denture
D5660	adding a clasp to a partial denture
D571	new base for a denture
D572	new base for a denture
D573	denture reline in the office
D574	denture reline in the office
D575	denture reline at the lab
D576	denture reline at the lab
D58	temporary denture
D5850	denture conditioning
D5851	denture conditioning
D586	overdenture
D59	facial prosthesis
D5986	fluoride tray
D60	implant
D6010	implant
D6011	uncovering an implant
D6012	temporary implant
D6013	mini implant
D6040	implant frame over the bone
D605	implant connector
D6050	implant frame through the bone
D6055	bar between implants
D6056	ready-made implant post
D6057	custom implant post
D6058	porcelain crown on an implant post
D6059	porcelain crown on gold, implant post
D606	crown on an implant post
D6065	porcelain crown on an implant
D6066	porcelain crown on metal, implant
D6067	metal crown on an implant
D607	bridge crown on an implant
D6080	cleaning of implant dentures
D6081	cleaning around one implant
D609	implant repair
D6092	recementing an implant crown
D6093	recementing an implant bridge
D6100	removal of an implant
D6101	cleaning of bone around an implant
D6104	bone graft with an implant
D611	denture on implants
D612	crown on an implant
D619	implant guide or part
D62	bridge tooth
D6240	bridge tooth, porcelain on gold
D6241	bridge tooth, porcelain on base metal
D6242	bridge tooth, porcelain on noble metal
D6245	bridge tooth, porcelain
D65	wing of a bridge
D66	bridge inlay or onlay
D67	bridge crown
D6740	bridge crown, porcelain
D6750	bridge crown, porcelain on gold
D6751	bridge crown, porcelain on base metal
D6752	bridge crown, porcelain on noble metal
D69	other bridge service
D6930	recementing a bridge
D6980	bridge repair
D71	tooth removal
D7111	removal of the rest of a baby tooth
D7140	simple tooth removal
D7210	surgical tooth removal
D7220	removal of a buried tooth, under the gum
D7230	removal of a buried tooth, partly in bone
D7240	removal of a buried tooth, fully in bone
D7241	difficult removal of a buried tooth
D7250	removal of roots
D7251	removal of part of a buried tooth
D726	closing the sinus
D7270	replanting a tooth
D728	exposing a buried tooth
D7280	exposing a buried tooth
D7285	biopsy of bone or tooth
D7286	biopsy of soft tissue
D7287	cell sample
D7288	brush biopsy
D7291	cutting of a gum fiber
D731	bone shaping
D7310	bone shaping with removals, 4 or more teeth
D7311	bone shaping with removals, 1 to 3 teeth
D732	bone shaping without removals
D734	gum ridge extension
D74	removal of a growth
D747	removal of extra bone
D75	surgical removal or drainage
D7510	drainage of an abscess in the mouth
D7511	drainage of a large abscess in the mouth
D7520	drainage of an abscess outside the mouth
D76	treatment of a broken jaw
D77	treatment of a broken jaw
D78	jaw joint treatment
D7880	jaw joint appliance
D79	mouth surgery
D7922	dressing of a wound
D7950	bone graft of a jaw
D7951	sinus lift
D7952	sinus lift through the socket
D7953	bone graft in a socket
D796	frenum surgery
D7961	frenum surgery of the lip or cheek
D7962	frenum surgery of the tongue
D7970	removal of excess gum
D7971	removal of gum over a tooth
D801	limited braces, baby teeth
D8010	limited braces, baby teeth
D8020	limited braces, mixed teeth
D8030	limited braces, teenager
D8040	limited braces, adult
D8070	full braces, mixed teeth
D8080	full braces, teenager
D8090	full braces, adult
D82	habit appliance
D86	braces service
D8660	visit before braces
D8670	braces visit
D8680	retainers after braces
D8681	retainer adjustment
D869	braces or retainer repair
D87	retainer repair
D91	pain relief
D9110	emergency pain relief
D9120	cutting of a bridge
D9210	local anesthesia, by itself
D9211	regional anesthesia
D9215	local anesthesia
D9219	assessment before sedation
D9222	deep sedation, first 15 minutes
D9223	deep sedation, each further 15 minutes
D9230	laughing gas
D9239	IV sedation, first 15 minutes
D9243	IV sedation, each further 15 minutes
D9248	sedation without IV
D9310	consultation
D9311	consultation with a physician
D941	house or hospital call
D9420	hospital call
D9430	office visit
D9440	visit after hours
D9450	presentation of a treatment plan
D96	medicine
D9910	medicine for sensitive teeth
D9911	resin for sensitive teeth
D9930	treatment of complications
D9932	cleaning of a full upper denture
D9933	cleaning of a full lower denture
D9934	cleaning of a partial upper denture
D9935	cleaning of a partial lower denture
D994	night guard
D9941	sports mouth guard
D9942	night guard repair
D9943	night guard adjustment
D9944	hard night guard
D9945	soft night guard
D9946	partial night guard
D995	bite adjustment
D9951	small bite adjustment
D9952	full bite adjustment
D997	whitening
D9970	treatment of discolored enamel
D9971	reshaping of teeth
D9972	teeth whitening at the office
D9973	whitening of one tooth at the office
D9974	inner whitening of one tooth
D9975	teeth whitening at home
D9986	missed visit
D9987	canceled visit
D9991	help with transport
D9995	video visit
D9996	video visit, recorded
`.split(`
`).filter(Boolean).map(e=>e.split(`	`,2)));function t(t){for(let n=t.length;n>=3;n--){let r=e.get(t.slice(0,n));if(r)return r}return``}var n=new Set(`D0120 D0140 D0150 D0210 D0220 D0230 D0272 D0274 D0330 D1110 D1120 D1206 D1208 D1351 D2140 D2150 D2160
  D2330 D2331 D2332 D2391 D2392 D2393 D2740 D2750 D2930 D2950 D3310 D3320 D3330 D4341 D4342 D4355 D4910
  D5110 D5120 D5213 D5214 D6010 D6058 D6240 D7140 D7210 D7240 D8080 D9110 D9230 D9944`.split(/\s+/)),r={bitewing:`bitewings`,checkup:`periodic`,cleaning:`prophylaxis`,deep:`scaling srp periodontal`,gum:`periodontal`,panoramic:`panorex`,porcelain:`ceramic`,removal:`extraction`,silver:`amalgam`,white:`composite`};function i(t,i=8){let a=t.trim().toLowerCase();if(a.length<2)return[];let o=/^\d{2,4}$/.test(a)?`d${a}`:a,s=e=>e.toLowerCase().startsWith(o),c=a.split(/[\s,-]+/).filter(Boolean),l=[];for(let[t,n]of e){if(t.length<5)continue;let e=n.toLowerCase().split(/[\s,-]+/),i=[...e,...e.flatMap(e=>r[e]?.split(` `)??[])];(c.every(e=>i.some(t=>t.startsWith(e)))||s(t))&&l.push({code:t,name:n})}let u=({code:e,name:t})=>[s(e),n.has(e),t.startsWith(a),!0].indexOf(!0);return l.sort((e,t)=>u(e)-u(t)).slice(0,i)}export{i as n,t};