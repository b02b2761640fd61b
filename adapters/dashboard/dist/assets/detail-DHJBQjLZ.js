import{p as e}from"./index-DLNTMGH4.js";import{t}from"./file-plus-corner-CBck-oYB.js";import{t as n}from"./printer-CJNm1X9M.js";import{t as r}from"./rotate-ccw-C5ajqIHk.js";import{Er as i,Sr as a,Tr as o,_r as s,kr as c}from"./getHighlightReason-Bow1PB5H.js";import{a as l}from"./session-CmKRORcR.js";import{C as u,a as d,b as f,c as p,g as m,h,l as g,n as _,o as ee,u as te,x as v}from"./page-BFRRaceh.js";import{E as y,_ as b,a as x,d as ne,g as S,h as C,i as w,l as T,n as E,o as D,u as re,v as O,y as k}from"./composite-BhLWA-yK.js";import{t as A}from"./plural-ByelEG3Y.js";import{a as ie}from"./traces-B-c_oKf0.js";import{t as j}from"./state-Bgfr53t2.js";import{n as M}from"./table-BYPxKmIu.js";import{l as ae}from"./form-5cQmWBpl.js";import{t as N}from"./scrolled-C_tooZNz.js";import{Coverage as oe}from"./list-yR_1Cee9.js";import{t as se}from"./form-BxneHBuv.js";var P=c(i(),1),ce=c(a(),1),le=new Map(`D01	exam
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
`).filter(Boolean).map(e=>e.split(`	`,2)));function F(e){for(let t=e.length;t>=3;t--){let n=le.get(e.slice(0,t));if(n)return n}return``}function I(e){if(e.verdict||!e.status)return e.verdict??void 0;let t=[];return e.status===`active`?{standing:`covered`,text:`Covered.`,also:t}:e.status===`inactive`?{standing:`not_covered`,text:`Not covered.`,also:t}:{standing:`not_known`,text:`Not known. The payer does not say whether the plan covers the patient.`,also:t}}function L(e,t){let n=Math.max(0,Math.round((Date.parse(t)-Date.parse(e))/864e5));return{days:n,old:n>=7||e.slice(0,7)!==t.slice(0,7)}}function R(e){let t=e.used??(e.amount&&e.remaining?((T(e.amount)-T(e.remaining))/100).toFixed(2):null);return{used:t,share:e.amount&&t&&T(e.amount)>0?Math.min(100,Math.max(0,100*T(t)/T(e.amount))):null}}function z(e){return[...e].sort((e,t)=>e.code<t.code?-1:1)}function B(e,t){return e.next_eligible_date!==null&&e.next_eligible_date<=t}var V={calendar_year:`this year`,plan_year:`this benefit year`,lifetime:`in a lifetime`};function H(e,t){return[e&&[e.count!=null&&(e.count===1?`once`:`${e.count} times`),e.period&&`per ${k(e.period).toLowerCase()}`,e.scope&&`(${k(e.scope).toLowerCase()})`].filter(Boolean).join(` `),e?.used!=null&&e.count!=null&&`${e.used} of ${e.count} used${e.period?` ${V[e.period]??`per ${e.period}`}`:``}`,t!=null&&`up to age ${t}`].filter(Boolean).join(`, `)||null}var U={coverage_effective_date:`when the coverage began`,coverage_termination_date:`when the coverage ends`,"plan.name":`the name of the plan`,"plan.type":`the type of plan`,"plan.group_number":`the group number`,"plan.benefit_period":`the benefit period`,network_status:`whether the office is in network`,maximums:`the maximums`,deductibles:`the deductibles`,"coverage.preventive":`coverage of preventive services`,"coverage.diagnostic":`coverage of diagnostic services`,"coverage.basic":`coverage of basic services`,"coverage.major":`coverage of major services`,"plan_rules.missing_tooth_clause":`whether a missing tooth clause applies`,"plan_rules.waiting_period":`whether a waiting period applies`,"plan_rules.pre_authorization":`whether pre-authorization is needed`,"plan_rules.coordination_of_benefits":`how benefits are coordinated with another plan`,"plan_rules.major_services_paid_on":`whether major services are paid on the prep or the seat date`};function W(e){let[t=``,n=``]=e.split(`.`);return U[e]?U[e]:t===`procedures`?`coverage of ${n}`:k(e.replace(`.`,` of `)).toLowerCase()}function G(e){return k(e.split(`.`).map(e=>/^\d+$/.test(e)?`${Number(e)+1}:`:e).join(` `))}var K=o();function ue({check:e}){return e.differences?.length?(0,K.jsx)(d,{tone:`warn`,title:`The payer has other details on file. Compare them before you bill.`,children:e.differences.map(e=>(0,K.jsxs)(`p`,{children:[k(e.field.replace(`.`,` `)),`: you sent `,(0,K.jsx)(`strong`,{children:S(e.sent)}),`, the payer has `,(0,K.jsx)(`strong`,{children:S(e.returned)}),`.`]},e.field))}):null}function de({check:e}){return!e.compared_with||!e.changes?.length?null:(0,K.jsx)(g,{title:`What changed`,actions:(0,K.jsx)(y,{to:`/eligibility/${e.compared_with}`,children:`The check before this one`}),children:(0,K.jsx)(_,{items:e.changes.map(e=>[G(e.path),fe(e.before,e.after)])})})}function fe(e,t){let n=e=>e==null?`nothing`:Array.isArray(e)?e.map(n).join(`, `)||`nothing`:typeof e==`object`?Object.entries(e).filter(([,e])=>e!==null).map(([e,t])=>`${k(e).toLowerCase()} ${n(t)}`).join(`, `):S(k(String(e)));return`${n(e)} → ${n(t)}`}function pe({of:e}){return e?.length?(0,K.jsx)(g,{title:`Waiting periods`,children:(0,K.jsx)(_,{items:e.map(e=>[k(e.category),(0,K.jsxs)(`span`,{children:[e.months!=null&&`${e.months} months from the begin of the coverage`,e.months!=null&&e.until&&`, `,e.until&&(0,K.jsxs)(K.Fragment,{children:[`benefits from `,(0,K.jsx)(E,{value:e.until})]})]},e.category)])})}):null}var q=e=>e.some(e=>e.copay)?[{head:`Copayment`,right:!0,cell:e=>e.copay&&(0,K.jsx)(w,{value:e.copay})}]:[];function me({of:e}){if(!e)return null;let t=[...e.maximums.map(e=>[e,`maximum`]),...e.deductibles.map(e=>[e,`deductible`])];return(0,K.jsxs)(g,{title:`Out of network`,flush:e.coverage.length>0,children:[t.length>0&&(0,K.jsx)(`ul`,{className:`plain amounts`,children:t.map(([e,t],n)=>(0,K.jsx)(J,{of:e,kind:t},n))}),e.coverage.length>0&&(0,K.jsx)(M,{caption:`Coverage out of network`,rows:e.coverage,id:e=>e.category,columns:[{head:`Category`,cell:e=>(0,K.jsx)(`span`,{className:`strong`,children:k(e.category)})},{head:`Plan pays`,right:!0,cell:e=>Y(e)},...q(e.coverage),{head:`How often`,cell:e=>H(e.frequency)}]})]})}function he({check:e,office:t}){return(0,K.jsxs)(K.Fragment,{children:[(0,K.jsxs)(`div`,{className:`columns`,children:[(0,K.jsxs)(`div`,{children:[(0,K.jsx)(ge,{check:e}),e.coverage&&e.coverage.length>0&&(0,K.jsx)(ye,{rows:e.coverage,office:t})]}),(0,K.jsxs)(`div`,{children:[(0,K.jsx)(be,{check:e}),(0,K.jsx)(`div`,{className:t?`no-print`:void 0,children:(0,K.jsx)(pe,{of:e.waiting_periods})}),t&&e.plan_rules&&(0,K.jsx)(xe,{rules:e.plan_rules})]})]}),t&&(0,K.jsx)(me,{of:e.out_of_network}),e.procedures&&e.procedures.length>0&&(0,K.jsx)(Se,{rows:e.procedures,office:t}),t&&e.payer_notes&&e.payer_notes.length>0&&(0,K.jsx)(g,{title:`The payer's notes`,children:(0,K.jsx)(`ul`,{children:e.payer_notes.map((e,t)=>(0,K.jsx)(`li`,{className:`wrap-anywhere`,children:S(e)},t))})}),t&&e.status!==`inactive`&&e.not_returned&&e.not_returned.length>0&&(0,K.jsx)(g,{title:`What the payer did not return`,children:(0,K.jsxs)(`p`,{className:`muted`,children:[`Ask the payer by phone if you need it: `,e.not_returned.map(W).join(`, `),`.`]})}),!t&&(0,K.jsx)(`p`,{children:`This is what your insurance told us on the day above. It is no promise of payment: your insurance decides when it gets the claim.`})]})}function ge({check:e}){let t=[...(e.maximums??[]).map(e=>({a:e,kind:`maximum`})),...(e.deductibles??[]).map(e=>({a:e,kind:`deductible`}))];return t.length===0?null:(0,K.jsx)(g,{title:`Maximums and deductibles`,children:(0,K.jsx)(`ul`,{className:`plain amounts`,children:t.map(({a:e,kind:t},n)=>(0,K.jsx)(J,{of:e,kind:t},n))})})}function _e(e,t){return[`${k(e.level)} ${t}`,k(e.period).toLowerCase(),e.applies_to&&S(k(e.applies_to).toLowerCase())].filter(Boolean).join(`, `)}function J({of:e,kind:t}){let{used:n,share:r}=R(e),i=e.remaining!==null&&T(e.remaining)<=0&&(e.amount===null||T(e.amount)>0),a=t===`maximum`?`used`:`paid`;return(0,K.jsxs)(`li`,{children:[(0,K.jsxs)(`div`,{className:`spread`,children:[(0,K.jsx)(`span`,{children:_e(e,t)}),(0,K.jsxs)(`span`,{className:`row`,children:[i&&t===`maximum`&&(0,K.jsx)(j,{tone:`warn`,children:`Used up`}),i&&t===`deductible`&&(0,K.jsxs)(`span`,{className:`met`,children:[(0,K.jsx)(u,{size:16,"aria-hidden":!0}),` Met`]}),i&&t===`deductible`?(0,K.jsx)(w,{value:e.amount}):(0,K.jsx)(ve,{of:e,kind:t})]})]}),r!==null&&(0,K.jsxs)(K.Fragment,{children:[(0,K.jsx)(`div`,{className:`bar${i&&t===`maximum`?` bar-up`:``}`,role:`img`,"aria-label":`${Math.round(r)}% is ${a}`,children:(0,K.jsx)(`div`,{style:{width:`${r}%`}})}),(0,K.jsxs)(`p`,{className:`muted small no-print`,children:[(0,K.jsx)(w,{value:n}),` `,a]})]})]})}function ve({of:e,kind:t}){return e.remaining===null?(0,K.jsx)(w,{value:e.amount}):(0,K.jsxs)(`span`,{children:[(0,K.jsx)(`strong`,{children:(0,K.jsx)(w,{value:e.remaining})}),` `,t===`maximum`?`left`:`left to pay`,e.amount!==null&&(0,K.jsxs)(K.Fragment,{children:[` `,`of `,(0,K.jsx)(w,{value:e.amount})]})]})}function Y(e){return e.covered===!1?`Not covered`:e.percent_paid==null?(0,K.jsx)(Z,{}):`${e.percent_paid}%`}function ye({rows:e,office:t}){return(0,K.jsx)(g,{title:`What the plan pays`,flush:!0,children:(0,K.jsx)(M,{caption:`Coverage by category`,rows:e,id:e=>e.category,columns:[{head:`Category`,cell:e=>(0,K.jsx)(`span`,{className:`strong`,children:k(e.category)})},{head:`Plan pays`,right:!0,cell:e=>Y(e)},...q(e),{head:`How often`,cell:e=>H(e.frequency)??(0,K.jsx)(Z,{})},...t?[{head:`Notes`,wide:!0,cell:e=>S(e.notes.join(` `))||(0,K.jsx)(Z,{})}]:[]]})})}function be({check:e}){return(0,K.jsx)(g,{title:`Plan`,children:(0,K.jsx)(_,{items:[[`Plan`,X(e.plan?.name)],[`Type`,X(e.plan?.type)],[`Group`,X(e.plan?.group_number)],[`Network`,e.network_status?(0,K.jsx)(j,{tone:e.network_status===`in_network`?`good`:`warn`,children:k(e.network_status)},`n`):null],[`Benefit period`,X(e.plan?.benefit_period)],[`Covered from`,(0,K.jsx)(E,{value:e.coverage_effective_date},`f`)],[`Covered until`,(0,K.jsx)(E,{value:e.coverage_termination_date},`u`)]]})})}function xe({rules:e}){return(0,K.jsxs)(g,{title:`Rules of the plan`,children:[(0,K.jsx)(_,{items:Object.entries(e).filter(([,e])=>e).map(([e,t])=>[k(e),t===`prep_date`||t===`seat_date`?k(t):t])}),Object.values(e).every(e=>!e)&&(0,K.jsx)(`p`,{className:`muted`,children:`The payer named none.`})]})}function Se({rows:e,office:t}){let n=b(),r=z(e).filter(e=>t||F(e.code));return(0,K.jsx)(g,{title:`Procedures`,flush:!0,children:(0,K.jsx)(M,{caption:`Procedures`,rows:r,id:e=>e.code,columns:[{head:`Procedure`,cell:e=>(0,K.jsx)(Ce,{of:e,office:t})},{head:`Today`,cell:e=>(0,K.jsx)(Te,{procedure:e,office:t})},{head:`Plan pays`,right:!0,cell:e=>e.percent_paid==null?(0,K.jsx)(Z,{}):`${e.percent_paid}%`},...q(r),{head:`How often`,cell:e=>H(e.frequency,e.max_age)??(0,K.jsx)(Z,{})},{head:`Last done`,cell:e=>(0,K.jsx)(E,{value:e.last_service_date})},{head:`Next eligible`,cell:e=>B(e,n)?`Eligible now`:(0,K.jsx)(E,{value:e.next_eligible_date})}]})})}function Ce({of:e,office:t}){let n=F(e.code);return t?(0,K.jsxs)(K.Fragment,{children:[(0,K.jsx)(`span`,{className:`strong`,children:e.code}),` `,n?k(n):e.description&&S(e.description),e.note&&(0,K.jsx)(`span`,{className:`sub wrap-anywhere`,children:S(e.note)})]}):(0,K.jsx)(`span`,{className:`strong`,children:k(n)})}var X=e=>e&&S(e),Z=()=>(0,K.jsx)(x,{said:`not stated`}),we={covered_now:[`Covered now`,`good`],not_due_yet:[`Not due yet`,`warn`],downgraded:[`Paid as a cheaper one`,`warn`],age_limit:[`Outside the age limit`,`bad`],not_covered:[`Not covered`,`bad`]};function Te({procedure:e,office:t}){if(t&&e.status===`downgraded`&&e.alternate_code)return(0,K.jsx)(j,{tone:`warn`,children:`Paid as ${e.alternate_code}`});let n=e.status&&we[e.status];return n?(0,K.jsx)(j,{tone:n[1],children:n[0]}):(0,K.jsx)(Z,{})}function Ee(e){if(e.cache.state===`hit`)return`From a response of the last 24 hours`;let{latency_ms:t=null}=e.source??{};return t===null?null:`In ${(t/1e3).toFixed(1)} s`}function De({check:e}){let[t,n]=(0,P.useState)(!1),r=e.request.subscriber,i=[[`Subscriber`,C(r)],[`Born`,(0,K.jsx)(E,{value:r.date_of_birth},`b`)],[`Member ID`,r.member_id],[`Group number`,r.group_number],...e.request.patient?[[`Patient`,`${C(e.request.patient)}, ${e.request.patient.relationship}`],[`Patient born`,(0,K.jsx)(E,{value:e.request.patient.date_of_birth},`p`)]]:[],[`Procedures asked`,e.request.procedure_codes.join(`, `)||null],[`Answered`,Ee(e)],[`Charge`,e.billing?.label]];return(0,K.jsxs)(g,{title:`What was asked`,actions:(0,K.jsx)(f,{look:`quiet`,"aria-expanded":t,onClick:()=>n(!t),children:t?`Hide the 270 and 271`:`Show the 270 and 271`}),children:[(0,K.jsx)(_,{items:i}),e.parent_id&&(0,K.jsx)(`p`,{children:(0,K.jsx)(y,{to:`/eligibility/${e.parent_id}`,children:`The rejected check that this one corrects`})}),(0,K.jsx)(`p`,{className:`small no-print`,children:(0,K.jsx)(m,{value:e.id,label:`Copy the ID`})}),t&&(0,K.jsx)(Oe,{id:e.id})]})}function Oe({id:e}){let{api:t}=s(),n=t.useQuery(`get`,`/eligibility/{id}/exchange`,{params:{path:{id:e}}});if(!n.data)return(0,K.jsx)(p,{of:n,rows:3,children:()=>null});if(n.data.messages.length===0)return(0,K.jsx)(`p`,{className:`muted`,children:`Nothing was sent: this is a saved response.`});let r=e=>e.replaceAll(`~`,`~
`).replaceAll(`

`,`
`);return(0,K.jsxs)(`div`,{className:`stack no-print`,children:[n.data.messages.map((e,t)=>(0,K.jsxs)(`div`,{className:`exchange`,children:[(0,K.jsxs)(`div`,{children:[(0,K.jsx)(`h3`,{children:`270`}),(0,K.jsx)(N,{label:`270, message ${t+1}`,children:r(e.request)})]}),(0,K.jsxs)(`div`,{children:[(0,K.jsx)(`h3`,{children:`271`}),(0,K.jsx)(N,{label:`271, message ${t+1}`,children:e.response?r(e.response).split(`
`).map(S).join(`
`):`Nothing came back.`})]})]},t)),(0,K.jsx)(Q,{of:n.data.values})]})}function Q({of:e}){let[t,n]=(0,P.useState)(``);if(e.length===0)return null;let r=[...new Set(e.map(e=>e.path))];return(0,K.jsxs)(`div`,{className:`stack`,children:[(0,K.jsx)(ae,{label:`Where a value comes from`,value:t,onChange:n,options:[[``,`Choose a value`],...r.map(e=>[e,G(e)])]}),e.filter(e=>e.path===t).map(e=>(0,K.jsx)(N,{label:`Segments of 271, message ${e.reply+1}`,children:e.segments.map(e=>`${e.position}: ${S(e.text)}`).join(`
`)},e.reply))]})}var ke={covered:`good`,limited:`warn`,not_covered:`bad`,not_known:`warn`};function Ae({check:e}){let t=l();if(e.state===`pending`)return(0,K.jsx)(d,{title:`The payer has not responded yet.`,children:`This page shows the response when it arrives.`});if(e.outcome===`payer_unavailable`)return(0,K.jsx)(d,{tone:`warn`,title:`${e.payer.name} is not responding right now.`,action:t.write&&(0,K.jsx)($,{check:e}),children:`Molar could not reach the payer. What you entered is not the cause.`});if(e.outcome===`error`)return(0,K.jsx)(d,{tone:`bad`,title:`The check failed on the way to the payer.`,action:t.write&&(0,K.jsx)($,{check:e}),children:`What you entered is not the cause.`});if(e.outcome===`rejected`)return(0,K.jsx)(je,{check:e});let n=I(e);return n?(0,K.jsxs)(d,{tone:ke[n.standing],title:n.text,children:[n.also.map(e=>(0,K.jsxs)(`p`,{children:[e.endsWith(` is met.`)&&(0,K.jsx)(u,{size:14,"aria-hidden":!0,className:`tick`}),e]},e)),n.standing===`not_covered`&&(0,K.jsx)(`p`,{className:`no-print`,children:`Ask the patient for another plan before the visit.`}),n.standing===`not_known`&&(0,K.jsxs)(`p`,{className:`no-print`,children:[`Ask `,e.payer.name,` by phone before the visit.`]})]}):null}function je({check:e}){let t=l(),n=e.rejection?.reasons??[];return(0,K.jsxs)(K.Fragment,{children:[(0,K.jsx)(d,{tone:`bad`,title:S(n[0]?.message??`The payer rejected the check.`),children:n.map(e=>(0,K.jsxs)(`p`,{children:[e.fix,e.suggested_value&&(0,K.jsxs)(K.Fragment,{children:[` `,`The payer has `,(0,K.jsx)(`strong`,{children:S(e.suggested_value)}),`.`]})]},e.code))}),e.rejection?.kind===`fix_and_resend`&&t.write&&(0,K.jsx)(g,{title:`Correct it and send it again`,children:(0,K.jsx)(se,{from:e,corrects:!0})})]})}function $({check:e}){return(0,K.jsx)(v,{to:`/eligibility/new`,search:{again:e.id},children:`Try again`})}function Me(){let{id:i}=e({strict:!1}),{api:a,mode:o}=s(),c=l(),[u,d]=(0,P.useState)(!0),f=a.useQuery(`get`,`/eligibility/{id}`,{params:{path:{id:i}}},{refetchInterval:e=>e.state.data?.state===`pending`&&2e3}),{office_id:p=``}=f.data??{},m=a.useQuery(`get`,`/offices/{id}`,{params:{path:{id:p}}},{enabled:p!==``});if(!f.data)return(0,K.jsx)(te,{title:`Check`,rows:10,of:f});let g=f.data,_=g.request.patient??g.request.subscriber,b=[m.data?.name,`${C(_)}, born ${ne(_.date_of_birth)}`,`Member ID ${g.request.subscriber.member_id}`,g.request.patient&&`subscriber ${C(g.request.subscriber)}`,g.payer.name],x=e=>{(0,ce.flushSync)(()=>d(e)),window.print(),d(!0)};return(0,K.jsxs)(ee,{title:C(_),above:(0,K.jsx)(y,{to:`/eligibility`,children:`Eligibility`}),curl:`/eligibility/${g.id}`,printed:(0,K.jsxs)(`p`,{children:[o===`test`&&(0,K.jsx)(`strong`,{children:`Test mode: not a real payer’s answer. `}),b.filter(Boolean).join(` · `),` · checked `,(0,K.jsx)(D,{value:g.created_at,full:!0})]}),about:(0,K.jsxs)(K.Fragment,{children:[(0,K.jsx)(oe,{check:g}),(0,K.jsxs)(`span`,{className:`no-print`,children:[`Born `,(0,K.jsx)(E,{value:_.date_of_birth})]}),(0,K.jsxs)(`span`,{className:`no-print`,children:[`Member ID `,g.request.subscriber.member_id]}),(0,K.jsx)(`span`,{className:`no-print`,children:g.payer.name}),m.data&&(0,K.jsx)(`span`,{className:`no-print`,children:m.data.name}),(0,K.jsxs)(`span`,{children:[`for `,(0,K.jsx)(E,{value:g.request.service_date})]}),(0,K.jsx)(Ne,{check:g}),g.patient_id&&(0,K.jsx)(y,{to:`/patients/${g.patient_id}`,className:`no-print`,children:`Everything about the patient`})]}),actions:(0,K.jsxs)(K.Fragment,{children:[g.outcome===`answered`&&(0,K.jsxs)(h,{items:[{label:`For the office`,onSelect:()=>x(!0)},{label:`For the patient, without codes`,onSelect:()=>x(!1)}],children:[(0,K.jsx)(n,{size:16,"aria-hidden":!0}),`Print`]}),c.write&&g.outcome===`answered`&&(0,K.jsx)(v,{icon:(0,K.jsx)(r,{size:16,"aria-hidden":!0}),to:`/eligibility/new`,search:{again:g.id},children:`Check again`}),c.write&&g.status===`active`&&(0,K.jsx)(v,{look:`primary`,icon:(0,K.jsx)(t,{size:16,"aria-hidden":!0}),to:`/claims/new`,search:{check_id:g.id},children:`New claim`})]}),children:[(0,K.jsx)(Ae,{check:g}),(0,K.jsx)(ue,{check:g}),g.outcome===`answered`&&(0,K.jsx)(he,{check:g,office:u}),(0,K.jsx)(`div`,{className:`no-print`,children:(0,K.jsx)(de,{check:g})}),(0,K.jsx)(`div`,{className:`no-print`,children:(0,K.jsx)(De,{check:g})}),(0,K.jsx)(ie,{id:g.id})]})}function Ne({check:e}){let t=l(),{days:n,old:r}=L(re(O(),new Date(e.created_at)),b());return(0,K.jsxs)(K.Fragment,{children:[(0,K.jsxs)(`span`,{className:`no-print`,children:[`checked `,(0,K.jsx)(D,{value:e.created_at,full:!0})]}),n>0&&(0,K.jsxs)(`span`,{className:r?`aged no-print`:`no-print`,children:[n===1?`yesterday`:`${A(n,`day`)} ago`,r&&t.write&&e.outcome===`answered`&&(0,K.jsxs)(K.Fragment,{children:[`, `,(0,K.jsx)(y,{to:`/eligibility/new`,search:{again:e.id},children:`check again`})]})]})]})}export{Me as CheckDetail};