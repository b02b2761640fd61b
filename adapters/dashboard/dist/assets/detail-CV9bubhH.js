import{f as e,v as t}from"./index-oM7s0Fnd.js";import{D as n,E as r,O as i,S as a,T as o,_ as s,a as c,c as l,g as u,l as d,n as f,o as p,t as m,u as h,v as g,w as _}from"./page-DHqb4jNd.js";import{t as v}from"./printer-Bir26r_N.js";import{Vr as ee,Xr as y,Zr as te,_r as b,ei as x,kr as ne}from"./getHighlightReason-BctIRj08.js";import{t as S}from"./send-B2vHp6Je.js";import{a as C,o as re}from"./session-_jSg0Vke.js";import{t as ie}from"./back-IPAh6gyO.js";import{a as ae,n as w,t as oe}from"./dialog-BzMMvbm9.js";import{I as se,R as ce,a as T,b as E,c as D,f as O,g as k,j as A,l as j,m as M,o as N,s as P,w as le,y as F}from"./offers-BHzUzPJw.js";import{c as ue,d as I,f as L,h as de,k as fe,l as pe,m as me,p as he,s as ge,u as _e}from"./many-C1ADOX6f.js";import{n as R,r as ve}from"./table-DujgkBgr.js";import{a as ye}from"./traces-DnKDuBxh.js";import{t as be}from"./levels-DDn9_ttV.js";import{n as xe,t as Se}from"./about-CMzf-e9L.js";import{r as Ce,t as we}from"./keys-1NBlcbjg.js";import{n as z,t as Te}from"./state-C1nnYN3I.js";import{l as Ee}from"./form-DoOMRkwe.js";import{t as De}from"./late-YzoacAsD.js";/* empty css                    */var Oe={name:`download`,size:24,node:[[`path`,{d:`M12 15V3`,key:`m9g1x1`}],[`path`,{d:`M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4`,key:`ih7n3h`}],[`path`,{d:`m7 10 5 5 5-5`,key:`brsn70`}]]};Oe.node;var ke=ce(Oe),B=x(te(),1),Ae=`# kind	code	class	label
provider	50	-	Late charge
provider	51	-	Penalty interest
provider	72	-	Money returned by the practice
provider	90	-	Allowance for early payment
provider	AH	-	Origination fee
provider	AM	-	Loan repayment applied
provider	AP	-	Benefits paid early
provider	B2	-	Rebate
provider	B3	-	Recovery allowance
provider	BD	-	Bad debt
provider	BN	-	Bonus
provider	C5	-	Temporary allowance
provider	CR	-	Capitation interest
provider	CS	-	Adjustment
provider	CT	-	Capitation payment
provider	CV	-	Capital passed through
provider	CW	-	Anesthetist cost passed through
provider	DM	-	Medical education cost passed through
provider	E3	-	Withheld
provider	FB	-	Balance carried over
provider	FC	-	Allocation of funds
provider	GO	-	Graduate medical education
provider	HM	-	Hemophilia supplement
provider	IP	-	Incentive payment
provider	IR	-	Withheld for taxes
provider	IS	-	Interim settlement
provider	J1	-	Not reimbursed
provider	L3	-	Penalty
provider	L6	-	Interest
provider	LE	-	Levy
provider	LS	-	Lump sum
provider	OA	-	Organ acquisition cost
provider	OB	-	Offset for an affiliated provider
provider	PI	-	Periodic interim payment
provider	PL	-	Final payment
provider	RA	-	Retroactive change
provider	RE	-	Return on equity
provider	SL	-	Student loan repayment
provider	TL	-	Another party is liable
provider	WO	-	Recovery of an overpayment
provider	WU	-	Recovery without a named reason
reason	1	plan	Deductible
reason	10	not_paid	Diagnosis does not fit gender
reason	100	not_paid	Patient received the payment
reason	101	-	Estimate for planned treatment
reason	103	contractual	Practice's own discount
reason	104	not_paid	Withheld under managed care contract
reason	105	not_paid	Withheld for taxes
reason	106	not_paid	Patient's payment choice not active
reason	107	not_paid	Related procedure missing from claim
reason	109	not_paid	Another payer is responsible
reason	11	not_paid	Diagnosis does not support procedure
reason	110	not_paid	Billed before the service date
reason	111	not_paid	Paid only if assignment is accepted
reason	112	not_paid	No record that patient was treated
reason	114	not_paid	Lacks FDA approval
reason	115	not_paid	Treatment put off or called off
reason	116	not_paid	Patient's advance notice not valid
reason	119	not_paid	Maximum for the period used up
reason	12	not_paid	Diagnosis does not fit provider type
reason	125	not_paid	Billing error on the claim
reason	128	not_paid	Newborn's care is part of mother's
reason	129	not_paid	Earlier payer's figures look wrong
reason	13	not_paid	Service after patient's death
reason	130	not_paid	Fee for filing the claim
reason	131	contractual	Discount agreed for this claim
reason	133	not_paid	Line not decided yet
reason	135	not_paid	Bill only when treatment is complete
reason	136	not_paid	Earlier payer's rules not kept
reason	137	not_paid	State surcharge or health tax
reason	138	not_paid	Appeal late or not in order
reason	14	not_paid	Service before patient's birth
reason	140	not_paid	Member ID and name disagree
reason	141	not_paid	Coverage changed during the claim
reason	142	not_paid	Patient's monthly Medicaid share
reason	143	not_paid	Part of payment comes later
reason	144	not_paid	Bonus or cut under incentive program
reason	146	not_paid	Diagnosis code not valid that day
reason	147	not_paid	No current contract fee on file
reason	148	not_paid	Another provider's information is missing
reason	149	not_paid	Lifetime maximum for category used up
reason	15	not_paid	No valid authorization number
reason	150	not_paid	Records do not justify this level
reason	151	not_paid	Number or frequency not justified
reason	152	not_paid	Length of treatment not justified
reason	153	not_paid	Dosage not justified
reason	154	not_paid	Days' supply not justified
reason	155	not_paid	Patient declined the treatment
reason	158	not_paid	Treated abroad
reason	16	not_paid	Claim incomplete or wrong; see remarks
reason	160	not_paid	Cause of injury is excluded
reason	161	not_paid	Bonus for good performance
reason	163	not_paid	Announced attachment never arrived
reason	164	not_paid	Attachment arrived too late
reason	165	not_paid	Referral missing or used up
reason	166	not_paid	Payer no longer handles this plan
reason	167	not_paid	No benefit for this diagnosis
reason	168	not_paid	Medical plan decided; no dental benefit
reason	169	not_paid	Paid as a cheaper alternative
reason	17	not_paid	Payer still lacks requested information
reason	170	not_paid	No benefit for this provider type
reason	171	not_paid	Provider type not paid in this facility
reason	172	not_paid	Adjusted for provider's specialty
reason	173	not_paid	Needs a doctor's prescription
reason	174	not_paid	Prescription dated after delivery
reason	175	not_paid	Prescription lacks details
reason	176	not_paid	Prescription has expired
reason	177	not_paid	Patient does not qualify
reason	178	not_paid	Spend-down not reached yet
reason	179	not_paid	Waiting period not over
reason	18	not_paid	Same claim received twice
reason	180	not_paid	Patient lives outside the required area
reason	181	not_paid	Procedure code not valid that day
reason	182	not_paid	Modifier not valid that day
reason	183	not_paid	Referring provider may not refer this
reason	184	not_paid	Prescriber may not order this
reason	185	not_paid	Treating provider may not bill this
reason	186	not_paid	Level of care was changed
reason	187	not_paid	Paid from health spending account
reason	189	not_paid	Use the specific procedure code
reason	19	not_paid	Bill workers' compensation instead
reason	192	not_paid	Code from a paper remittance
reason	193	not_paid	Review confirmed the first decision
reason	194	not_paid	Anesthesia by the operating dentist
reason	197	not_paid	Prior authorization missing
reason	198	not_paid	More than was authorized
reason	2	plan	Coinsurance
reason	20	not_paid	Bill the liability insurer instead
reason	200	not_paid	Service during a coverage gap
reason	202	not_paid	Done for comfort only
reason	203	not_paid	Treatment stopped or cut short
reason	204	not_paid	Plan has no such benefit
reason	206	not_paid	No NPI on the claim
reason	207	not_paid	NPI is malformed
reason	208	not_paid	NPI unknown to the payer
reason	209	not_paid	Bill next payer, not the patient
reason	21	not_paid	Bill the no-fault insurer instead
reason	210	not_paid	Authorization requested too late
reason	212	not_paid	No benefit for administrative fees
reason	213	not_paid	Self-referral is not allowed
reason	215	not_paid	Third party settled the case
reason	216	not_paid	Result of an outside review
reason	22	not_paid	Another plan may have to pay
reason	222	not_paid	Provider is over contracted volume
reason	223	not_paid	Adjusted because a law requires it
reason	224	not_paid	Identity theft; verify the patient
reason	226	not_paid	Requested details from practice missing
reason	227	not_paid	Requested details from patient missing
reason	228	not_paid	Earlier payer never got requested details
reason	23	-	Settled by an earlier payer
reason	231	not_paid	Procedures exclude each other that day
reason	233	not_paid	Treats a preventable error
reason	234	not_paid	No separate fee for this
reason	236	not_paid	Conflicts with another procedure that day
reason	237	not_paid	Penalty set by law
reason	238	not_paid	Part of claim without coverage
reason	239	not_paid	Coverage changed; split the claim
reason	24	contractual	Included in capitation payments
reason	242	not_paid	Out-of-network provider
reason	243	not_paid	Lacks the primary provider's approval
reason	245	not_paid	Held back until performance is measured
reason	246	not_paid	Informational code without a fee
reason	250	not_paid	Wrong attachment sent
reason	251	not_paid	Attachment lacks needed details
reason	252	not_paid	Send an attachment
reason	253	contractual	Federal sequestration cut
reason	254	not_paid	Bill the medical plan instead
reason	256	not_paid	Excluded by managed care contract
reason	257	not_paid	On hold until premium is paid
reason	258	not_paid	Patient is in custody
reason	259	not_paid	Extra payment for dental or vision
reason	26	not_paid	Service before coverage began
reason	261	not_paid	Treatment history contradicts procedure
reason	267	not_paid	Split the claim by month
reason	268	not_paid	Split the claim by calendar year
reason	269	not_paid	No anesthesia benefit for this procedure
reason	27	not_paid	Service after coverage ended
reason	270	not_paid	Bill the dental plan instead
reason	272	not_paid	Falls outside the plan's criteria
reason	273	not_paid	Goes beyond the plan's limits
reason	275	not_paid	No benefit for first payer's patient share
reason	276	not_paid	Also refused by the earlier payer
reason	278	not_paid	Performance targets missed
reason	279	not_paid	Outside the plan's preferred network
reason	280	not_paid	Bill the pharmacy plan instead
reason	281	contractual	Practice waives the deductible
reason	284	not_paid	Authorization is for other services
reason	285	not_paid	Appeal did not follow the rules
reason	286	not_paid	Appeal came too late
reason	287	not_paid	More than the referral allows
reason	288	not_paid	Needs a referral
reason	289	not_paid	Neither dental nor medical benefit
reason	29	not_paid	Claim filed too late
reason	290	not_paid	Passed on to the medical plan
reason	291	not_paid	Passed on to the dental plan
reason	293	not_paid	Employer received the payment
reason	294	not_paid	Attorney received the payment
reason	296	not_paid	Authorization is for another provider
reason	299	not_paid	Billing provider may not be paid
reason	3	plan	Copay
reason	302	not_paid	Authorization has expired
reason	31	not_paid	Member not found
reason	32	not_paid	Patient not enrolled as a dependent
reason	33	not_paid	Plan excludes dependents
reason	34	not_paid	Plan excludes newborns
reason	35	not_paid	Lifetime maximum used up
reason	38	not_paid	Provider not designated by the plan
reason	39	not_paid	Authorization was refused
reason	4	not_paid	Modifier missing or wrong
reason	40	not_paid	Does not count as an emergency
reason	41	contractual	PPO discount
reason	42	contractual	Charge above the plan's fee
reason	44	contractual	Discount for early payment
reason	45	contractual	Above the plan's fee
reason	49	not_paid	No benefit for routine exams
reason	5	not_paid	Wrong place of service for procedure
reason	50	not_paid	Payer sees no clinical need
reason	51	not_paid	Condition existed before coverage
reason	53	not_paid	Provider is a relative of patient
reason	54	not_paid	No benefit for a second provider
reason	55	not_paid	Treatment counts as experimental
reason	56	not_paid	Benefit of treatment not shown
reason	58	not_paid	Place of service not accepted
reason	59	contractual	Fee cut for multiple procedures
reason	6	not_paid	Age limit for this procedure
reason	61	not_paid	No second opinion obtained
reason	62	not_paid	No authorization, or it was exceeded
reason	7	not_paid	Procedure does not fit gender
reason	8	not_paid	Not billable by this specialty
reason	85	not_paid	Interest owed by patient
reason	9	not_paid	Diagnosis does not fit age
reason	94	contractual	Allowed amount above the charge
reason	95	not_paid	Steps required by plan not taken
reason	96	not_paid	No benefit; see the remarks
reason	97	not_paid	Included in another procedure
reason	A0	not_paid	Money owed back to patient
reason	A1	not_paid	Refused; see the remarks
reason	A2	contractual	Contract write-off
reason	B1	not_paid	No benefit for these visits
reason	B10	not_paid	Part of procedure was paid already
reason	B11	not_paid	Forwarded to the right payer
reason	B12	not_paid	Missing from the patient's chart
reason	B13	not_paid	Paid earlier
reason	B14	not_paid	Second visit on the same day
reason	B15	not_paid	Needs another covered procedure first
reason	B16	not_paid	Does not count as a new patient
reason	B20	not_paid	Another provider did this treatment
reason	B22	not_paid	Diagnosis changed the payment
reason	B23	not_paid	Lab certificate does not cover test
reason	B4	not_paid	Reduced because claim was late
reason	B7	not_paid	Provider not credentialed that day
reason	B8	not_paid	Another treatment should come first
reason	B9	not_paid	Hospice patient
reason	P10	not_paid	Nothing paid during lawsuit
reason	P12	contractual	Above the workers' compensation fee
reason	P14	not_paid	Included in another procedure that day
reason	P2	not_paid	Not a work injury
reason	P23	contractual	Above the auto injury fee
reason	P24	contractual	Preferred provider discount
reason	P25	contractual	Medical network discount
reason	P26	contractual	Voluntary network discount
reason	P29	contractual	Above the liability coverage fee
reason	P4	not_paid	Workers' compensation refused the case
reason	P5	not_paid	Above the usual local fee
reason	P7	not_paid	Code missing from fee schedule
reason	P8	not_paid	Payer is investigating the claim
remark	M1	-	X-ray is too old
remark	M115	-	Supplier has no contract
remark	M127	-	Send the patient's record
remark	M129	-	State whether X-rays are available
remark	M143	-	Give payer the current license
remark	M144	-	Part of the fee for surgery
remark	M15	-	Combined with a related procedure
remark	M20	-	Check the HCPCS code
remark	M25	-	Records do not justify this level
remark	M27	-	Practice bears this, not the patient
remark	M29	-	Send the operative report
remark	M30	-	Send the pathology report
remark	M31	-	Send the radiology report
remark	M38	-	Patient agreed to pay this
remark	M39	-	Patient does not owe this
remark	M41	-	Patient has no duty to pay
remark	M47	-	Check the payer's claim number
remark	M51	-	Check the procedure code
remark	M52	-	Check the first service date
remark	M53	-	Check the number of units
remark	M54	-	Check the total charge
remark	M56	-	Check the payer ID
remark	M59	-	Check the last service date
remark	M62	-	Check the authorization number
remark	M64	-	Check the other diagnoses
remark	M67	-	Check the other procedure codes
remark	M76	-	Check the diagnosis
remark	M77	-	Check the place of service
remark	M79	-	Check the charge
remark	M80	-	Conflicts with a service that day
remark	M81	-	Use a more specific code
remark	M84	-	Use codes valid on that date
remark	M86	-	Similar procedure paid too recently
remark	M90	-	Once in 12 months
remark	MA01	-	Appeal within 120 days
remark	MA02	-	Appeal within 180 days
remark	MA04	-	Send the primary payer's payment details
remark	MA07	-	Forwarded to Medicaid
remark	MA112	-	Check the group practice details
remark	MA113	-	Tax ID disagrees with the IRS
remark	MA114	-	Check where service took place
remark	MA120	-	Check the CLIA number
remark	MA121	-	Check the X-ray date
remark	MA122	-	Check the first treatment date
remark	MA125	-	By law, accept payment as full
remark	MA13	-	Bill patient only amounts marked PR
remark	MA130	-	Claim unusable; send a new one
remark	MA15	-	Claim split; the rest comes separately
remark	MA18	-	Forwarded to supplemental insurer
remark	MA28	-	For information if assignment not accepted
remark	MA36	-	Check the patient's name
remark	MA37	-	Check the patient's address
remark	MA39	-	Check the patient's gender
remark	MA44	-	Decided by law; no appeal
remark	MA46	-	Reviewed again; no further payment
remark	MA48	-	Check responsible party or primary payer
remark	MA58	-	Check the release of information
remark	MA59	-	Refund the patient's overpayment
remark	MA60	-	Check the relationship to subscriber
remark	MA61	-	Check the Social Security number
remark	MA63	-	Check the main diagnosis
remark	MA64	-	Needs results of both earlier payers
remark	MA66	-	Check the main procedure code
remark	MA67	-	Corrects an earlier claim
remark	MA69	-	Check the claim's remarks
remark	MA74	-	Replaces a lost or returned payment
remark	MA75	-	Check the patient's signature
remark	MA81	-	Check the provider's signature
remark	MA83	-	State whether this payer is primary
remark	MA92	-	Add the other plan's details
remark	N1	-	You may appeal; see your contract
remark	N10	-	Decided after professional review
remark	N11	-	Review reversed the denial
remark	N113	-	One first visit per provider
remark	N115	-	Based on local Medicare policy
remark	N117	-	Once in a lifetime
remark	N122	-	Add-on needs its main procedure
remark	N123	-	Part of a split line
remark	N129	-	Outside the age limit
remark	N130	-	See the plan's limits for this
remark	N133	-	Estimates are handled apart from payments
remark	N134	-	Scheduled payment for ongoing treatment
remark	N138	-	Second dental review is possible
remark	N142	-	Send a new claim, not replacement
remark	N149	-	Bill everything on one claim
remark	N152	-	Check the replacement claim's details
remark	N155	-	Payer knows of no other insurance
remark	N156	-	Patient pays extra for elective treatment
remark	N16	-	Out-of-pocket limit met; paid higher
remark	N163	-	Records do not match the code
remark	N174	-	No benefit; patient owes PR amounts only
remark	N177	-	Not sent to the other insurer
remark	N178	-	Send images from before treatment
remark	N179	-	Payer is waiting for the member
remark	N181	-	Another provider must send details
remark	N182	-	Follow the plan's billing schedule
remark	N183	-	Send documents when you bill this
remark	N185	-	Do not send this claim again
remark	N187	-	You may ask for a review
remark	N189	-	Paid as a single exception
remark	N19	-	Minor part of the main procedure
remark	N191	-	Provider must update insurance details
remark	N197	-	Subscriber must update insurance details
remark	N199	-	Changed after the payer's audit
remark	N2	-	Paid for the plan's preferred treatment
remark	N20	-	Not payable with other service that day
remark	N202	-	More information comes separately
remark	N205	-	Documents cannot be read
remark	N206	-	Documents do not match the claim
remark	N209	-	Check the tax ID
remark	N21	-	Line split into several
remark	N210	-	An appeal is possible
remark	N211	-	No appeal is possible
remark	N216	-	Patient's package has no such benefit
remark	N219	-	Uses the earlier payer's allowed amount
remark	N22	-	Payer changed the procedure code
remark	N228	-	Consent form is not complete
remark	N23	-	Other coverage may change patient share
remark	N24	-	Check the EFT bank details
remark	N242	-	X-ray image is not usable
remark	N245	-	Other plan's details are not complete
remark	N252	-	Check the attending provider's name
remark	N253	-	Check the attending provider's NPI
remark	N255	-	Check the billing provider's taxonomy
remark	N256	-	Check the billing provider's name
remark	N257	-	Check the billing provider's NPI
remark	N258	-	Check the billing provider's address
remark	N26	-	Send an itemized bill
remark	N279	-	Check the pay-to provider's name
remark	N281	-	Check the pay-to address
remark	N285	-	Check the referring provider's name
remark	N286	-	Check the referring provider's NPI
remark	N288	-	Check the treating provider's taxonomy
remark	N289	-	Check the treating provider's name
remark	N290	-	Check the treating provider's NPI
remark	N292	-	Check the facility's name
remark	N293	-	Check the facility's NPI
remark	N294	-	Check the facility's address
remark	N3	-	Send the consent form
remark	N30	-	Patient cannot have this benefit
remark	N301	-	Check the procedure date
remark	N305	-	Check the accident date
remark	N308	-	Check when the appliance was placed
remark	N32	-	Treating provider must bill this
remark	N326	-	Check the last X-ray date
remark	N329	-	Check the patient's date of birth
remark	N333	-	Check the prior placement date
remark	N336	-	Check the replacement date
remark	N34	-	Wrong claim form
remark	N340	-	Check the subscriber's date of birth
remark	N345	-	Dates do not fit the units
remark	N346	-	Check the area of the mouth
remark	N350	-	Describe the unlisted procedure
remark	N351	-	Outside the approved treatment dates
remark	N353	-	Estimate; bill again when done
remark	N356	-	Follows a service without benefit
remark	N357	-	Too close to a related procedure
remark	N358	-	More documents can change this decision
remark	N36	-	Meet the primary payer's requirements first
remark	N360	-	Estimate ignores the other insurance
remark	N362	-	Too many units
remark	N37	-	Check the tooth number
remark	N370	-	Beyond the approved rental months
remark	N377	-	Paid from the replacement claim
remark	N379	-	Claim and lines disagree
remark	N380	-	Send a corrected claim
remark	N381	-	See your contract with payer
remark	N382	-	Check the patient's ID
remark	N383	-	Counts as cosmetic
remark	N384	-	Tooth was removed earlier
remark	N385	-	Admission reported too late
remark	N386	-	Based on national Medicare policy
remark	N387	-	Send this to the other insurer
remark	N39	-	Procedure does not fit the tooth
remark	N390	-	No separate billing of this
remark	N393	-	Send progress notes
remark	N395	-	Send the lab report
remark	N397	-	No benefit before treatment is finished
remark	N4	-	Check the earlier payer's EOB
remark	N40	-	Send X-ray images
remark	N401	-	Send the periodontal chart
remark	N402	-	Periodontal chart is not complete
remark	N408	-	No benefit for earlier payer's deductible
remark	N409	-	Too long after the accident
remark	N411	-	Once in 6 months
remark	N412	-	Twice in 12 months
remark	N413	-	Twice in a benefit year
remark	N414	-	Four times in 12 months
remark	N415	-	Once in 18 months
remark	N416	-	Once in 3 years
remark	N417	-	Once in 5 years
remark	N418	-	Claim went to the wrong place
remark	N419	-	Rate changed afterwards
remark	N420	-	Changed later for other insurance
remark	N421	-	Changed later by a review
remark	N425	-	Excluded by law
remark	N428	-	No benefit at this place
remark	N429	-	Counts as routine
remark	N430	-	Procedure does not fit the units
remark	N431	-	No benefit together with this procedure
remark	N432	-	Found in a recovery audit
remark	N433	-	Send again with NPI only
remark	N435	-	Frequency too high without documents
remark	N441	-	Missed appointment
remark	N442	-	Paid from a different fee schedule
remark	N448	-	No fee set for this
remark	N449	-	Paid as a similar service
remark	N45	-	Paid as authorized
remark	N472	-	Another provider received the payment
remark	N477	-	Send dental models
remark	N478	-	Dental models are not complete
remark	N479	-	Send the other payer's EOB
remark	N48	-	Differs from other insurer's information
remark	N480	-	Other payer's EOB is not complete
remark	N5	-	Earlier payer's EOB came without claim
remark	N506	-	Estimate of patient share, no guarantee
remark	N516	-	NPI and tax ID disagree
remark	N517	-	Send new claim with requested details
remark	N519	-	Modifiers do not go together
remark	N521	-	Provider details differ from records
remark	N522	-	Crossover already brought this claim
remark	N524	-	By policy, accept payment as full
remark	N525	-	Falls in follow-up of another service
remark	N536	-	Collect earlier payer's patient share
remark	N54	-	Differs from what was authorized
remark	N548	-	Yearly deductible is met
remark	N549	-	Yearly out-of-pocket limit is met
remark	N56	-	Procedure code wrong or out of date
remark	N567	-	Counts as preventive
remark	N569	-	No benefit for this diagnosis
remark	N58	-	Check the patient's share
remark	N587	-	Policy benefits used up
remark	N59	-	See the payer's manual
remark	N61	-	Bill on separate claims
remark	N619	-	Coverage ended; premium not paid
remark	N63	-	Bill on separate lines
remark	N640	-	Too many or too frequent
remark	N657	-	Use the proper code
remark	N661	-	Records show no clinical need
remark	N663	-	Amount was agreed
remark	N674	-	Another procedure must come first
remark	N677	-	Payer keeps the images
remark	N678	-	Send images from after treatment
remark	N680	-	Check dates of earlier extractions
remark	N681	-	Check the full-arch X-rays
remark	N682	-	Send earlier periodontal history
remark	N683	-	Send records of prior treatment
remark	N685	-	Check crown, inlay or prosthesis code
remark	N687	-	Reversed: coverage ended retroactively
remark	N688	-	Reversed: clinical review
remark	N689	-	Reversed: rate changed afterwards
remark	N690	-	Reversed: provider's appeal
remark	N691	-	Reversed: patient's appeal
remark	N692	-	Reversed: wrong rate at first
remark	N693	-	Reversed: provider canceled the claim
remark	N694	-	Reversed: provider changed the claim
remark	N695	-	Reversed: wrong patient share at first
remark	N696	-	Reversed: other insurance
remark	N698	-	Reversed: premium not paid
remark	N7	-	Major medical was considered too
remark	N702	-	Based on similar claims
remark	N703	-	Conflicts with another claim
remark	N704	-	No appeal; correct and send again
remark	N705	-	Documents are not complete
remark	N706	-	Send documents
remark	N709	-	Notes are not complete
remark	N710	-	Send the notes
remark	N713	-	Report is not complete
remark	N714	-	Send the report
remark	N715	-	Chart is not complete
remark	N716	-	Send the chart
remark	N729	-	Send the dental record
remark	N730	-	Dental record is not complete
remark	N75	-	Check the tooth surface
remark	N753	-	Check the attachment number
remark	N765	-	No benefit for earlier payer's coinsurance
remark	N766	-	No benefit for earlier payer's copay
remark	N77	-	Check the designated provider's number
remark	N785	-	Send current X-rays
remark	N786	-	Limit for orthodontic treatment
remark	N8	-	Crossover incomplete; send the claim here
remark	N81	-	Procedure does not fit the surface
remark	N84	-	More installments will follow
remark	N85	-	Last installment
remark	N94	-	Use a more specific taxonomy code
remark	N95	-	Provider type cannot bill this
`,je=new Map;for(let e of Ae.split(`
`)){let[t,n,,r]=e.split(`	`);t===`reason`&&n&&r&&je.set(n,r)}var Me=e=>je.get(e.toUpperCase())??`Unknown reason`,Ne={CO:`Contractual`,PR:`Patient's part`,OA:`Other`,PI:`Payer's decision`,CR:`Correction`},Pe=e=>Ne[e]??`Unknown group`,Fe={1:`Processed as primary`,2:`Processed as secondary`,3:`Processed as tertiary`,4:`Denied`,19:`Processed as primary, forwarded`,20:`Processed as secondary, forwarded`,21:`Processed as tertiary, forwarded`,22:`Reversal of a payment`,23:`Not this payer's claim, forwarded`,25:`Estimate`},V=e=>Fe[e]??`Status ${e}`,H=y(),U=e=>!e.correction?.undecided&&(e.state===`needs_review`||e.state===`posted`);function W({ids:e}){return(0,H.jsx)(H.Fragment,{children:e.map((t,n)=>(0,H.jsxs)(`span`,{children:[n>0&&`, `,(0,H.jsx)(A,{to:`/remittances/${t}`,children:e.length===1?`Open the other remittance`:`Open remittance ${n+1}`})]},t))})}function Ie({era:e}){return(0,H.jsxs)(H.Fragment,{children:[e.correction?.undecided&&(0,H.jsxs)(c,{tone:`warn`,title:`The payer sent this payment again with other figures`,action:(0,H.jsx)(Re,{era:e}),children:[`Compare both. Then replace the other remittance with this one, or keep the other one. Until then, the other one applies. `,(0,H.jsx)(W,{ids:e.correction.of})]}),e.state===`discarded`&&(0,H.jsxs)(c,{tone:`info`,title:`This correction was discarded`,action:(0,H.jsx)(ze,{era:e,look:`plain`}),children:[(0,H.jsx)(W,{ids:e.correction?.of??[]}),` `,(0,H.jsx)(Le,{note:e.correction?.decided??null})]}),e.replaced_by&&(0,H.jsx)(c,{tone:`info`,title:`Another remittance of the payment replaced this one`,action:(0,H.jsx)(ze,{era:e,look:`plain`}),children:(0,H.jsx)(W,{ids:[e.replaced_by]})}),U(e)&&e.correction?.decided&&(0,H.jsxs)(c,{tone:`info`,title:`This correction is in effect`,children:[(0,H.jsx)(W,{ids:e.correction.of}),` `,(0,H.jsx)(Le,{note:e.correction.decided})]}),e.corrections.length>0&&(0,H.jsxs)(c,{tone:`warn`,title:`The payer has corrected this payment`,children:[`Decide which one applies. `,(0,H.jsx)(W,{ids:e.corrections})]}),e.parts.length>0&&(0,H.jsxs)(c,{tone:`info`,title:`The payer split this payment into ${_(e.parts.length+1,`part`)}`,children:[`The amounts of all parts together make up the payment. `,(0,H.jsx)(W,{ids:e.parts})]})]})}function Le({note:e}){return e?(0,H.jsxs)(`span`,{className:`muted wrap-anywhere`,children:[e.by?`Decided`:`Molar decided, because nothing of the other one was applied,`,` `,(0,H.jsx)(j,{value:e.at}),e.note&&`: ${E(e.note)}`]}):null}function Re({era:e}){let t=C(),n=S((t,n,r)=>t.POST(`/eras/{id}/keep`,{params:{path:{id:e.id},header:n},body:{note:r||null}}),{says:`The correction is discarded.`});return t.write?(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(ze,{era:e,look:`primary`}),(0,H.jsx)(w,{title:`Keep the other remittance?`,action:`Keep it`,note:`Note`,onConfirm:e=>n.go(e),trigger:e=>(0,H.jsx)(r,{busy:n.isPending,onClick:e,children:`Keep the other one`}),children:(0,H.jsx)(`p`,{children:`This correction is discarded and stays in the list. No claim changes.`})})]}):null}function ze({era:e,look:t}){let n=C(),i=S((t,n,r)=>t.POST(`/eras/{id}/replace`,{params:{path:{id:e.id},header:n},body:{note:r||null}}),{says:`The other remittance is replaced.`});return n.write?(0,H.jsx)(w,{title:`Replace the other remittance?`,action:`Replace`,danger:!0,note:`Note for the history of the changed claims`,onConfirm:e=>i.go(e),trigger:e=>(0,H.jsx)(r,{"data-act":`replaceERA`,look:t,busy:i.isPending,onClick:e,children:`Replace the other one`}),children:(0,H.jsx)(`p`,{children:`Molar unapplies the other remittance and applies this one. Claims that are the same in both do not change.`})}):null}function Be({era:e}){let[t,n]=(0,B.useState)(new Set),r=e.difference;if(!r)return null;let i=e=>n(t=>{let n=new Set(t);return n.delete(e)||n.add(e),n}),a=r.changed+r.added+r.removed,o=[r.changed>0&&`${_(r.changed,`claim`)} changed`,r.added>0&&`${_(r.added,`claim`)} added`,r.removed>0&&`${_(r.removed,`claim`)} removed`].filter(Boolean).join(`, `);return(0,H.jsxs)(d,{title:`What the correction changes`,flush:!0,children:[(0,H.jsxs)(`p`,{className:`difference-head`,children:[o||`No claim differs`,`. The payment was `,(0,H.jsx)(P,{value:r.was.total,strong:!0}),`, and is`,` `,(0,H.jsx)(P,{value:e.payment.total,strong:!0}),`.`,a>r.claims.length&&` The first ${r.claims.length} claims are shown.`]}),r.claims.length>0&&(0,H.jsx)(R,{caption:`What the correction changes, by claim`,rows:r.claims.map((e,t)=>({c:e,i:t})),id:e=>String(e.i),fold:{open:e=>t.has(e.i),toggle:e=>i(e.i)},columns:[{head:`Patient`,cell:({c:e})=>(0,H.jsxs)(H.Fragment,{children:[E(F(e.patient_name)),(0,H.jsx)(`span`,{className:`sub numbers`,children:E(e.patient_control_number)})]})},{head:`Change`,cell:({c:e})=>(0,H.jsx)(Ve,{claim:e})},{head:`Charge`,right:!0,cell:({c:e})=>(0,H.jsx)(G,{was:e.was?.charge,is:e.is?.charge})},{head:`Patient owes`,right:!0,cell:({c:e})=>(0,H.jsx)(G,{was:e.was?.patient_responsibility,is:e.is?.patient_responsibility})},{head:`Paid`,right:!0,cell:({c:e})=>(0,H.jsx)(G,{was:e.was?.paid,is:e.is?.paid})}],open:e=>t.has(e.i)&&(0,H.jsx)(He,{claim:e.c})})]})}function Ve({claim:e}){return e.was?e.is?e.was.status_code===e.is.status_code?(0,H.jsx)(H.Fragment,{children:`Changed`}):(0,H.jsxs)(H.Fragment,{children:[V(e.is.status_code),(0,H.jsxs)(`span`,{className:`sub`,children:[`was `,V(e.was.status_code)]})]}):(0,H.jsx)(H.Fragment,{children:`Removed`}):(0,H.jsx)(H.Fragment,{children:`Added`})}function G({was:e,is:t}){return(0,H.jsxs)(`div`,{children:[(0,H.jsx)(P,{value:t??null,strong:e!==t}),e!==t&&(0,H.jsxs)(`span`,{className:`sub`,children:[`was `,(0,H.jsx)(P,{value:e??null})]})]})}function He({claim:e}){let t=[...K(e.was)===K(e.is)?[]:[{what:`The whole claim`,day:null,was:e.was,is:e.is}],...e.lines.map(e=>({what:e.procedure_code,day:e.service_date,was:e.was,is:e.is}))];return t.length===0?(0,H.jsx)(`p`,{className:`muted`,children:`The lines are the same.`}):(0,H.jsx)(`div`,{className:`inset`,children:(0,H.jsx)(R,{caption:`Lines of ${E(F(e.patient_name))} that differ`,rows:t.map((e,t)=>({...e,i:t})),id:e=>String(e.i),columns:[{head:`Procedure`,cell:e=>(0,H.jsx)(`span`,{className:`strong`,children:E(e.what)})},{head:`Service`,cell:e=>(0,H.jsx)(T,{value:e.day})},{head:`Adjustments`,cell:e=>(0,H.jsxs)(`div`,{children:[(0,H.jsx)(`span`,{className:`wrap-anywhere`,children:K(e.is)}),K(e.was)!==K(e.is)&&(0,H.jsxs)(`span`,{className:`sub wrap-anywhere`,children:[`was `,K(e.was)]})]})},{head:`Paid`,right:!0,cell:e=>(0,H.jsx)(G,{was:e.was?.paid,is:e.is?.paid})}]})})}var K=e=>e?.adjustments.map(e=>`${Me(e.reason)} ${E(`${e.group}-${e.reason}`)} ${e.amount}`).join(`, `)||`none`,Ue=e=>[...e.adjustments,...e.lines.flatMap(e=>e.adjustments)],q=e=>I(Ue(e).filter(e=>e.group===`PR`).reduce((e,t)=>e+O(t.amount),0));function We(e){let t=[e.paid,e.contractual,e.not_paid,q(e)],n=O(e.charge)-t.reduce((e,t)=>e+O(t),0);return n===0?null:{amount:I(n),what:Ge(e)}}function Ge(e){return e.balanced?e.status_code===`25`?`estimated`:Ue(e).some(e=>e.group===`OA`&&e.reason===`23`)?`settled by other payers`:`corrected`:`not explained`}var J=e=>e.normalize(`NFKD`).toLowerCase().replace(/[^\p{L}\p{N}]/gu,``),Ke=e=>e.first_name||e.last_name?E(F(e)):null,qe=8;function Y(e,t){let n=(e,t,n,r=J(t??``)===J(n??``))=>({what:e,payer:t,claim:n,same:t&&n?r:null}),[r,i]=[J(e.patient_control_number),J(t.patient_control_number)],a=e=>e&&M(e);return[n(`patient`,Ke(e.patient_name),Ke(t.patient_name)),n(`member ID`,e.member_id&&E(e.member_id),t.subscriber?.member_id??null),n(`control number`,E(e.patient_control_number)||null,t.patient_control_number,r===i||r.length>=qe&&i.startsWith(r)),n(`service date`,a(e.service_dates.first),a(t.service_dates.first)),n(`charge`,k(e.charge),k(t.totals.charge),Math.abs(O(e.charge))===O(t.totals.charge)),n(`open amount`,`${k(e.paid)} paid`,t.open&&k(t.open),t.open!==null&&O(e.paid)<=O(t.open))]}var Je={patient:4,"member ID":4,"control number":5,"service date":2,charge:3,"open amount":2},Ye=(e,t)=>Y(e,t).reduce((e,t)=>e+(t.same?Je[t.what]??0:0),0);function Xe(e,t){let[n,r]=Y(e,t),i=n?.same===!1||n?.same===null&&r?.same===!1,a=t.payment&&`${k(t.payment.paid)} of ${k(t.totals.charge)}`,o=t.open===null?``:`, and ${k(t.open)} is open`;return[i?`The payer names ${n?.payer??r?.payer}. The claim is for ${Ke(t.patient_name)}.`:null,a&&`The payers have paid ${a} for this claim${o}.`,t.state===`returned`?`The claim has an estimate already.`:null].filter(e=>e!==null)}function Ze({era:e,claim:t,open:n,onOpenChange:r}){return(0,H.jsx)(ae,{forgets:!0,title:`Find the claim`,open:n,onOpenChange:r,wide:!0,children:(0,H.jsx)($e,{era:e,claim:t,close:()=>r(!1)})})}var Qe=12;function $e({era:t,claim:n,close:r}){let{fetch:i}=b(),[a,o]=(0,B.useState)(``),[s,c]=(0,B.useState)(null),u=De(a.trim(),200),{first_name:d,last_name:p}=n.patient_name,m=[...new Set(u?[u]:[n.patient_control_number,n.member_id??``,d&&p&&`${p}, ${d}`,p].map(e=>e.trim()).filter(e=>e.length>=2))],h=ne({queryKey:[`match`,t.id,n.ordinal,...m],enabled:u===``||u.length>=2,placeholderData:ee,queryFn:async({signal:e})=>{let t=await Promise.all(m.map(t=>i.POST(`/claims/search`,{body:{query:t.slice(0,100),limit:50},signal:e}))),r=new Map;for(let{data:e,error:n}of t){if(n)throw n;for(let t of e.data)t.state!==`draft`&&r.set(t.id,t)}let a=e=>e.sort((e,t)=>Ye(n,t)-Ye(n,e));return{claims:a(await Promise.all(a([...r.values()].map(e=>({...e,subscriber:null}))).slice(0,Qe).map(async({id:t})=>{let{data:n,error:r}=await i.GET(`/claims/{id}`,{params:{path:{id:t}},signal:e});if(r)throw r;return n}))),more:Math.max(0,r.size-Qe),truncated:t.some(e=>e.data?.truncated)}}});return(0,H.jsxs)(`div`,{className:`stack`,children:[(0,H.jsx)(`div`,{className:`sought`,children:(0,H.jsx)(f,{items:[[`The payer names`,E(F(n.patient_name))],[`Service`,(0,H.jsx)(N,{from:n.service_dates.first,to:n.service_dates.last},`s`)],[`Member ID`,n.member_id&&E(n.member_id)],[`Charge`,(0,H.jsx)(P,{value:n.charge},`c`)],[`Paid`,(0,H.jsx)(P,{value:n.paid,strong:!0},`p`)],[`Control number`,(0,H.jsx)(`span`,{className:`numbers`,children:E(n.patient_control_number)||`–`},`n`)]]})}),s?(0,H.jsx)(at,{era:t,claim:n,to:s,back:()=>c(null),done:r}):(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(`div`,{className:`row`,children:(0,H.jsxs)(`div`,{className:`field search-field`,children:[(0,H.jsx)(`label`,{htmlFor:`match-search`,className:`only-read`,children:`Search claims`}),(0,H.jsx)(e,{size:16,"aria-hidden":!0}),(0,H.jsx)(`input`,{id:`match-search`,type:`search`,className:`input`,placeholder:`Patient, date of birth, member ID or control number`,value:a,onChange:e=>o(e.target.value),autoComplete:`off`,autoFocus:!0})]})}),(0,H.jsx)(`div`,{className:`found`,"aria-live":`polite`,children:(0,H.jsx)(l,{of:h,rows:3,children:({claims:e,more:t,truncated:r})=>(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(et,{claims:e,like:n,choose:c}),(t>0||r)&&(0,H.jsx)(`p`,{className:`muted`,children:`More claims match. Enter more of the name, or a date of birth.`})]})})})]})]})}function et({claims:e,like:t,choose:n}){return e.length===0?(0,H.jsx)(`p`,{className:`muted`,children:`No sent claim is found. Search for another spelling, a date of birth, or a member ID.`}):(0,H.jsx)(`ul`,{className:`plain candidates`,children:e.map(e=>(0,H.jsx)(`li`,{children:(0,H.jsxs)(`button`,{type:`button`,className:`candidate`,onClick:()=>n(e),children:[(0,H.jsxs)(`span`,{children:[(0,H.jsx)(`span`,{className:`strong`,children:F(e.patient_name)}),(0,H.jsx)(`span`,{className:`sub`,children:[tt(e),e.subscriber?.member_id].filter(Boolean).join(`, `)}),(0,H.jsxs)(`span`,{className:`sub`,children:[e.payer.name,e.kind===`predetermination`&&`, predetermination`]})]}),(0,H.jsx)(N,{from:e.service_dates.first,to:e.service_dates.last}),(0,H.jsxs)(`span`,{className:`right`,children:[(0,H.jsx)(P,{value:e.totals.charge}),e.open!==null&&(0,H.jsxs)(`span`,{className:`sub`,children:[k(e.open),` open`]})]}),(0,H.jsx)(z,{value:e.state}),(0,H.jsx)(`span`,{className:`alike`,children:nt(Y(t,e))})]})},e.id))})}function tt(e){let t=(e.patient??e.subscriber)?.date_of_birth;return t?`born ${M(t)}`:``}function nt(e){let t=e.filter(e=>e.same).map(e=>e.what),n=e.filter(e=>e.same===!1).map(e=>`${e.what} (payer: ${e.payer})`);return[t.length>0&&`Same ${t.join(`, `)}.`,n.length>0&&`Different ${n.join(`, `)}.`].filter(Boolean).join(` `)}function rt({claim:e}){let{api:t}=b(),n=t.useQuery(`get`,`/claims/{id}`,{params:{path:{id:e.claim_id??``}}});return(0,H.jsx)(l,{of:n,rows:2,children:t=>(0,H.jsx)(R,{caption:`What differs`,rows:Y(e,t).filter(e=>e.same===!1),id:e=>e.what,columns:[{head:`Differs`,cell:e=>le(e.what)},{head:`Payer`,cell:e=>(0,H.jsx)(`span`,{className:`wrap-anywhere`,children:e.payer})},{head:`Claim`,cell:e=>(0,H.jsx)(`span`,{className:`wrap-anywhere`,children:e.claim})}]})})}function it({claim:e}){let{api:t}=b(),n=t.useQuery(`get`,`/claims/{id}`,{params:{path:{id:e.claim_id??``}}});return(0,H.jsx)(l,{of:n,rows:3,children:t=>(0,H.jsx)(R,{caption:`The payment and the claim`,rows:[{what:`Patient`,payer:E(F(e.patient_name)),claim:F(t.patient_name)},{what:`Born`,payer:(0,H.jsx)(D,{said:`not stated`}),claim:(0,H.jsx)(T,{value:(t.patient??t.subscriber)?.date_of_birth})},{what:`Service`,payer:(0,H.jsx)(N,{from:e.service_dates.first,to:e.service_dates.last}),claim:(0,H.jsx)(N,{from:t.service_dates.first,to:t.service_dates.last})}],id:e=>e.what,columns:[{head:`What`,cell:e=>e.what},{head:`Payer`,cell:e=>(0,H.jsx)(`span`,{className:`wrap-anywhere`,children:e.payer})},{head:`Claim`,cell:e=>(0,H.jsx)(`span`,{className:`wrap-anywhere`,children:e.claim})}]})})}function at({era:e,claim:t,to:n,back:i,done:a}){let[o,s]=(0,B.useState)({}),c=S((r,i)=>r.POST(`/eras/{id}/claims/{ordinal}/match`,{params:{path:{id:e.id,ordinal:String(t.ordinal)},header:i},body:{claim_id:n.id,lines:Object.entries(o).filter(([,e])=>e!==``).map(([e,t])=>({era_line:Number(e),line_number:t===`none`?null:Number(t)}))}}),{says:`The payment is matched.`,done:a}),l=Xe(t,n);return(0,H.jsxs)(`div`,{className:`stack`,children:[(0,H.jsxs)(`p`,{children:[`The claim is for `,(0,H.jsx)(`span`,{className:`strong`,children:F(n.patient_name)}),`,`,` `,n.service_dates.first?M(n.service_dates.first):`no date`,`,`,` `,k(n.totals.charge),`, `,n.payer.name,`.`,` `,(0,H.jsx)(`button`,{type:`button`,className:`link-button`,onClick:i,children:`Choose another claim`})]}),(0,H.jsx)(`p`,{children:nt(Y(t,n))}),t.lines.length>0&&(0,H.jsxs)(`details`,{className:`lines-by-hand`,children:[(0,H.jsxs)(`summary`,{children:[`Molar matches the `,_(t.lines.length,`line`),` by procedure, date and charge. Choose by hand if it cannot know.`]}),(0,H.jsx)(`ul`,{className:`plain stack-s`,children:t.lines.map((e,t)=>(0,H.jsxs)(`li`,{className:`pair`,children:[(0,H.jsxs)(`span`,{children:[(0,H.jsx)(`span`,{className:`strong`,children:E(e.procedure_code)}),` `,(0,H.jsxs)(`span`,{className:`muted`,children:[(0,H.jsx)(T,{value:e.service_date}),`, charged `,k(e.charge)]})]}),(0,H.jsx)(Ee,{label:`Pays, line ${t+1} of the payer`,hideLabel:!0,value:o[t+1]??``,onChange:e=>s({...o,[t+1]:e}),options:[[``,`Let Molar find the line`],...n.lines.map((e,t)=>[String(t+1),`Line ${t+1}: ${e.procedure_code}, ${e.fee?k(e.fee):`no fee`}`]),[`none`,`None of them`]]})]},t))})]}),(0,H.jsxs)(`div`,{className:`dialog-actions`,children:[(0,H.jsx)(oe,{}),l.length===0?(0,H.jsx)(r,{look:`primary`,busy:c.isPending,onClick:()=>c.go(),children:`Match and apply`}):(0,H.jsx)(w,{title:`Is this the right claim?`,action:`Match it all the same`,onConfirm:()=>c.go(),trigger:e=>(0,H.jsx)(r,{look:`primary`,busy:c.isPending,onClick:e,children:`Match and apply`}),children:l.map(e=>(0,H.jsx)(`p`,{children:e},e))})]})]})}var ot=(e,t)=>e.balance.findings.filter(e=>e.claim===t.ordinal).map(e=>e.explanation),st=(e,t)=>t.warnings.filter(t=>!e.warnings.some(e=>e.code===t.code)).map(e=>e.message);function ct({all:e}){return e.length===0?null:(0,H.jsx)(`div`,{className:`stack-s`,children:e.map(e=>(0,H.jsx)(`p`,{className:`off small wrap-anywhere`,children:E(e)},e))})}var X=e=>(e.status===`needs_review`||e.status===`unmatched`)&&e.review?.code!==`under_way`&&e.review?.code!==`correction`,lt=[[`U`,`next claim to decide`],[`M`,`find its claim`],[`I`,`ignore`]];function ut(){let e=[...document.querySelectorAll(`.decision`)];return{all:e,at:e.find(e=>e.contains(document.activeElement))}}var dt=e=>()=>{let{all:t,at:n}=ut();(n??t[0])?.querySelector(`[data-decides=${e}]`)?.click()};function ft(){let{all:e,at:t}=ut();e[t?(e.indexOf(t)+1)%e.length:0]?.querySelector(`button`)?.focus()}var pt=1e3;function mt(e,t){let{api:n}=b();return n.useInfiniteQuery(`get`,`/eras/{id}/claims`,{params:{path:{id:e},query:{limit:100}}},{...ve,enabled:t})}function ht({era:t,of:n}){let i=C(),[a,o]=(0,B.useState)(new Set),[s,c]=(0,B.useState)(!1),[u,f]=(0,B.useState)(``),{hasNextPage:p,isFetchingNextPage:h,fetchNextPage:g}=n,v=n.data?.pages.flatMap(e=>e.data)??[];(0,B.useEffect)(()=>{p&&!h&&v.length<pt&&g()},[p,h,g,v.length]);let ee=i.write&&v.some(X);if(Ce(ee?{u:ft,m:dt(`match`),i:dt(`ignore`)}:{}),!n.data)return(0,H.jsx)(d,{title:`Claims`,flush:!0,children:(0,H.jsx)(l,{of:n,rows:Math.min(8,Math.max(1,t.counts.claims)),children:()=>null})});let y=t.unapplied,te=u.trim().toLowerCase(),b=s&&v.some(X),x=v.filter(e=>(!b||X(e))&&(!te||[F(e.patient_name),e.patient_control_number,e.payer_claim_number??``].some(e=>e.toLowerCase().includes(te)))),ne=x.length>0&&x.every(e=>a.has(e.ordinal));return(0,H.jsxs)(d,{flush:!0,title:_(t.counts.claims,`claim`),actions:x.length>0&&(0,H.jsx)(r,{look:`quiet`,onClick:()=>o(ne?new Set:new Set(x.map(e=>e.ordinal))),children:ne?`Hide all lines`:`Show all lines`}),children:[t.counts.claims>5&&(0,H.jsxs)(`div`,{className:`filters no-print`,children:[(0,H.jsxs)(`div`,{className:`field search-field`,children:[(0,H.jsx)(`label`,{htmlFor:`era-claims`,className:`only-read`,children:`Find in this remittance`}),(0,H.jsx)(e,{size:16,"aria-hidden":!0}),(0,H.jsx)(`input`,{id:`era-claims`,type:`search`,className:`input`,placeholder:`Patient or number`,value:u,onChange:e=>f(e.target.value),autoComplete:`off`})]}),(de(t)>0||b)&&(0,H.jsx)(r,{"aria-pressed":b,onClick:()=>c(!b),children:b?`Show all claims`:`Show the ${de(t).toLocaleString(`en-US`)} to decide`})]}),y.ignored.claims>0&&(0,H.jsxs)(`p`,{className:`card-note off`,children:[k(y.ignored.paid),` of this remittance is on no claim:`,` `,_(y.ignored.claims,`remittance claim is`,`remittance claims are`),` ignored.`]}),y.unfinished.claims>0&&t.state===`posted`&&(0,H.jsxs)(`p`,{className:`card-note off`,children:[k(y.unfinished.paid),` of this remittance is not allocated:`,` `,_(y.unfinished.claims,`remittance claim is`,`remittance claims are`),` not finished.`]}),x.length===0?(0,H.jsx)(m,{title:v.length===0?`This remittance has no claims`:`No claim matches`,children:v.length===0?`Its amount comes from the provider adjustments alone.`:`Enter part of a patient's name or of a claim number.`}):(0,H.jsx)(R,{caption:`Claims of the remittance`,rows:x,id:e=>String(e.ordinal),fold:{open:e=>a.has(e.ordinal),toggle:e=>o(t=>{let n=new Set(t);return n.delete(e.ordinal)||n.add(e.ordinal),n})},columns:[{head:`Patient`,cell:e=>(0,H.jsxs)(H.Fragment,{children:[E(F(e.patient_name)),(0,H.jsx)(`span`,{className:`sub numbers`,children:E(e.patient_control_number)||`No control number`})]})},{head:`Status`,cell:e=>(0,H.jsxs)(`div`,{children:[(0,H.jsx)(_t,{claim:e}),!e.balanced&&(0,H.jsx)(`span`,{className:`sub off`,children:`Does not add up`})]})},{head:`Service`,cell:e=>(0,H.jsx)(N,{from:e.service_dates.first,to:e.service_dates.last}),wide:!0},{head:`Charge`,right:!0,cell:e=>(0,H.jsx)(P,{value:e.charge})},{head:`Write-off`,right:!0,cell:e=>(0,H.jsx)(P,{value:e.contractual})},{head:`Not paid`,right:!0,cell:e=>(0,H.jsx)(P,{value:e.not_paid})},{head:`Patient owes`,right:!0,cell:e=>(0,H.jsx)(P,{value:q(e)})},{head:`Paid`,right:!0,cell:e=>(0,H.jsx)(gt,{claim:e})}],open:e=>(X(e)||a.has(e.ordinal)||st(t,e).length>0)&&(0,H.jsxs)(`div`,{className:`stack`,children:[(0,H.jsx)(ct,{all:st(t,e)}),X(e)&&(0,H.jsx)(vt,{era:t,claim:e}),a.has(e.ordinal)&&(0,H.jsx)(bt,{era:t,claim:e})]})}),ee&&(0,H.jsx)(we,{of:lt}),p&&v.length>=pt&&(0,H.jsx)(`div`,{className:`table-more no-print`,children:(0,H.jsx)(r,{busy:h,onClick:()=>void g(),children:`Show more`})})]})}function gt({claim:e}){let t=We(e);return(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(P,{value:e.paid,strong:!0}),t&&(0,H.jsxs)(`span`,{className:`sub`,children:[(0,H.jsx)(P,{value:t.amount}),` `,t.what]})]})}function _t({claim:e}){if(e.review?.code===`under_way`)return(0,H.jsx)(Te,{tone:`info`,children:`Being applied`});if(e.review?.code===`correction`)return(0,H.jsx)(Te,{tone:`warn`,children:`On hold`});if(e.status===`unmatched`)return(0,H.jsx)(z,{value:e.status,children:`No claim matches`});if(e.status===`applied`&&e.status_code===`22`)return(0,H.jsx)(z,{value:e.status,children:`Reversal applied`});if(e.status===`applied`){let t=e.outcome===`denied`,n=t?`denied`:`paid`,r=e.status_code===`25`?`estimated`:n;return(0,H.jsx)(z,{value:t?`denied`:e.status,children:`Applied, ${r}`})}return(0,H.jsx)(z,{value:e.status})}function vt({era:e,claim:t}){let n=t.review?.code,r=n===`patient_and_charge_differ`||n===`payer_claim_number_only`;return(0,H.jsxs)(`div`,{className:`decision`,children:[(0,H.jsxs)(`div`,{children:[(0,H.jsx)(`p`,{className:`strong`,children:t.review?.message}),ot(e,t).map(e=>(0,H.jsx)(`p`,{className:`off wrap-anywhere`,children:E(e)},e)),t.claim_id&&r&&(0,H.jsx)(rt,{claim:t}),(0,H.jsx)(`p`,{children:t.review?.fix})]}),(0,H.jsx)(yt,{era:e,claim:t})]})}function yt({era:e,claim:t}){let n=C(),[i,a]=(0,B.useState)(!1),o=n=>({path:{id:e.id,ordinal:String(t.ordinal)},header:n}),s=e=>({note:e||null}),c=S((e,t,n)=>e.POST(`/eras/{id}/claims/{ordinal}/apply`,{params:o(t),body:s(n)}),{says:`The payment is applied to the claim.`}),l=S((e,t,n)=>e.POST(`/eras/{id}/claims/{ordinal}/ignore`,{params:o(t),body:s(n)}),{says:`The remittance claim is ignored.`});if(!n.write)return null;let u=`${k(t.paid)} for ${E(F(t.patient_name))}`,d=t.claim_id===null;return(0,H.jsxs)(`div`,{className:`row no-print`,children:[t.claim_id&&(0,H.jsxs)(w,{title:`Apply the payment?`,action:`Apply`,note:`Note for the claim's history`,onConfirm:e=>c.go(e),trigger:e=>(0,H.jsx)(r,{"data-act":`matchERAClaim`,look:X(t)?`primary`:`plain`,busy:c.isPending,onClick:e,children:`Apply`}),children:[(0,H.jsxs)(`p`,{children:[`This applies `,u,` to `,(0,H.jsx)(A,{to:`/claims/${t.claim_id}`,children:`the claim that it matches`}),`, as the payer states it.`]}),(0,H.jsx)(it,{claim:t})]}),(0,H.jsx)(r,{"data-act":d?`matchERAClaim`:void 0,"data-decides":`match`,look:d&&X(t)?`primary`:`plain`,onClick:()=>a(!0),children:d?`Find the claim`:`Match to another claim`}),(0,H.jsx)(Ze,{era:e,claim:t,open:i,onOpenChange:a}),t.status!==`ignored`&&(0,H.jsx)(w,{title:`Ignore this remittance claim?`,action:`Ignore`,note:d?void 0:`Note for the claim's history`,onConfirm:e=>l.go(e),trigger:e=>(0,H.jsx)(r,{"data-decides":`ignore`,busy:l.isPending,onClick:e,children:`Ignore`}),children:(0,H.jsxs)(`p`,{children:[`Molar does not apply `,u,` to a claim. You can still`,` `,d?`match`:`match or apply`,` it later.`]})})]})}function bt({era:e,claim:t}){let n=C(),i=n=>({path:{id:e.id,ordinal:String(t.ordinal)},header:n}),a=S((e,t,n)=>e.POST(`/eras/{id}/claims/{ordinal}/unapply`,{params:i(t),body:{note:n||null}}),{says:`The payment is no longer applied to the claim.`});return(0,H.jsxs)(`div`,{className:`stack-s`,children:[(0,H.jsx)(f,{items:[[`Payer's decision`,(0,H.jsxs)(H.Fragment,{children:[V(t.status_code),` `,(0,H.jsx)(`code`,{className:`muted`,children:E(t.status_code)})]})],[`Claim`,t.claim_id?(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(A,{to:`/claims/${t.claim_id}`,children:`Open the claim`}),t.matched_by&&(0,H.jsxs)(`span`,{className:`sub`,children:[`matched `,{control_number:`by its control number`,payer_claim_number:`by the payer's claim number`,user:`by a person`}[t.matched_by]]})]}):`No claim matches`],[`Payer's claim number`,t.payer_claim_number&&(0,H.jsx)(`span`,{className:`numbers`,children:E(t.payer_claim_number)})],[`Coverage`,t.sequence&&le(t.sequence)],[`Allowed`,(0,H.jsx)(P,{value:t.allowed},`a`)],...t.corrected_patient?[[`Patient in the payer's records`,E([F(t.corrected_patient),t.corrected_patient.member_id].filter(e=>e&&e!==`No name`).join(`, `))]]:[],...t.crossover_payer?[[`Forwarded to`,E(t.crossover_payer.name)]]:[]]}),(0,H.jsx)(ct,{all:X(t)?[]:ot(e,t)}),t.adjustments.length>0&&(0,H.jsxs)(`div`,{children:[(0,H.jsx)(`p`,{className:`muted small`,children:`Adjustments of the whole claim`}),(0,H.jsx)(xt,{list:t.adjustments})]}),t.lines.length>0&&(0,H.jsx)(`div`,{className:`inset`,children:(0,H.jsx)(R,{caption:`Lines of ${E(F(t.patient_name))}`,rows:t.lines.map((e,t)=>({line:e,number:t+1})),id:e=>String(e.number),columns:[{head:`Procedure`,cell:({line:e})=>(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(`span`,{className:`strong`,children:E(e.procedure_code)}),e.submitted_procedure_code&&(0,H.jsxs)(`span`,{className:`sub`,children:[`billed as `,E(e.submitted_procedure_code)]}),t.claim_id&&(0,H.jsx)(`span`,{className:`sub`,children:e.line_number?`line ${e.line_number} of the claim`:`matches no line with certainty`})]})},{head:`Service`,cell:({line:e})=>(0,H.jsx)(T,{value:e.service_date})},{head:`Charge`,right:!0,cell:({line:e})=>(0,H.jsx)(P,{value:e.charge})},{head:`Adjustments`,cell:({line:e})=>e.adjustments.length>0?(0,H.jsx)(xt,{list:e.adjustments}):(0,H.jsx)(D,{})},{head:`Paid`,right:!0,cell:({line:e})=>(0,H.jsx)(P,{value:e.paid,strong:!0})}]})}),t.remark_labels.length>0&&(0,H.jsx)(`ul`,{className:`plain small`,children:t.remark_labels.map(e=>(0,H.jsxs)(`li`,{children:[e.label===e.code?`Unknown remark`:E(e.label),` `,(0,H.jsx)(`code`,{className:`muted`,children:E(e.code)})]},e.code))}),t.status===`ignored`&&U(e)&&(0,H.jsx)(yt,{era:e,claim:t}),t.status===`applied`&&n.write&&(0,H.jsx)(`div`,{className:`row no-print`,children:e.state===`posted`?(0,H.jsx)(`p`,{className:`muted small`,children:`To unapply it, unpost the remittance first.`}):(0,H.jsx)(w,{title:`Unapply the payment?`,action:`Unapply`,danger:!0,note:`Note for the claim's history`,onConfirm:e=>a.go(e),trigger:e=>(0,H.jsx)(r,{busy:a.isPending,onClick:e,children:`Unapply`}),children:(0,H.jsxs)(`p`,{children:[`The claim then has its figures without `,k(t.paid),` of this payment. Molar does not apply it again automatically.`]})})})]})}function xt({list:e}){return(0,H.jsx)(`ul`,{className:`plain adjustments`,children:e.map((e,t)=>(0,H.jsxs)(`li`,{children:[(0,H.jsxs)(`span`,{children:[Me(e.reason),` `,(0,H.jsxs)(`span`,{className:`muted small nowrap`,title:Pe(e.group),children:[(0,H.jsxs)(`span`,{className:`only-read`,children:[Pe(e.group),` `]}),E(`${e.group}-${e.reason}`)]})]}),(0,H.jsx)(P,{value:e.amount})]},t))})}function St(e){let t=e.startsWith(`ISA`)?e.charAt(105):`~`;return e.split(t).map(e=>e.trim()).filter(Boolean)}var Ct=5e3;function wt({id:e,open:t,onOpenChange:n}){let r=b(),i=ne({queryKey:[`get`,`/eras/{id}/file`,e],enabled:t,staleTime:1/0,queryFn:async({signal:t})=>{let n=await s(r,`/eras/${e}/file`,void 0,t);return{...n,text:await n.blob.text()}}});return(0,H.jsx)(ae,{title:`The 835 file`,open:t,onOpenChange:n,wide:!0,children:(0,H.jsx)(l,{of:i,rows:6,children:e=>(0,H.jsx)(Tt,{of:e})})})}function Tt({of:e}){let t=St(e.text);return(0,H.jsxs)(`div`,{className:`stack`,children:[(0,H.jsxs)(`div`,{className:`spread`,children:[(0,H.jsx)(`code`,{className:`wrap-anywhere`,children:e.name}),(0,H.jsx)(r,{icon:(0,H.jsx)(ke,{size:16,"aria-hidden":!0}),onClick:()=>g(e),children:`Download`})]}),(0,H.jsx)(`ol`,{className:`segments`,tabIndex:0,"aria-label":`Segments`,children:t.slice(0,Ct).map((e,t)=>(0,H.jsx)(`li`,{children:(0,H.jsx)(`code`,{children:E(e)})},t))}),t.length>Ct&&(0,H.jsxs)(`p`,{className:`muted`,children:[`The first `,Ct.toLocaleString(`en-US`),` of `,t.length.toLocaleString(`en-US`),` `,`segments. Download the file to see the rest.`]})]})}function Et(e){let t=new Map;for(let n of[...e.adjustments,...e.lines.flatMap(e=>e.adjustments)]){let e=`${n.group}-${n.reason}`,r=t.get(e);t.set(e,{group:n.group,reason:n.reason,amount:I(O(r?.amount??`0.00`)+O(n.amount))})}return[...t.values()]}function Dt(e){if(e.allowed!==null||e.lines.length===0)return e.allowed;let t=0;for(let n of e.lines){if(n.allowed===null)return null;t+=O(n.allowed)}return I(t)}var Z=(e,t)=>I(e.reduce((e,n)=>e+O(t(n)??`0.00`),0)),Ot=e=>({charge:Z(e,e=>e.charge),allowed:e.every(e=>Dt(e)!==null)?Z(e,Dt):null,contractual:Z(e,e=>e.contractual),not_paid:Z(e,e=>e.not_paid),patient:Z(e,q),paid:Z(e,e=>e.paid),applied:Z(e.filter(e=>e.status===`applied`),e=>e.paid)});function kt({era:e,claims:t}){let{api:n}=b(),r=n.useQuery(`get`,`/offices`,{params:{query:{limit:100}}}).data?.data.find(t=>t.id===e.office_id)?.name,i=e.counts.claims-t.length;return(0,H.jsxs)(`section`,{className:`posting-sheet`,"aria-label":`Posting sheet`,children:[(0,H.jsx)(`h2`,{children:`Posting sheet`}),(0,H.jsxs)(`dl`,{children:[(0,H.jsx)(Q,{name:`Payer`,children:E(e.payer?.name??e.payer_name)}),(0,H.jsxs)(Q,{name:`Payment`,children:[_e(e.payment.method),` `,E(e.payment.trace_number)]}),(0,H.jsx)(Q,{name:`Date`,children:(0,H.jsx)(T,{value:e.payment.date})}),(0,H.jsx)(Q,{name:`Amount`,children:k(e.payment.total)}),(0,H.jsx)(Q,{name:`Paid to`,children:r??`No single office`}),(0,H.jsx)(Q,{name:`Received`,children:(0,H.jsx)(j,{value:e.received_at,full:!0})}),(0,H.jsx)(Q,{name:`Posted`,children:(0,H.jsx)(At,{era:e})}),(0,H.jsx)(Q,{name:`Bank`,children:(0,H.jsx)(Mt,{era:e})})]}),i>0&&(0,H.jsxs)(`p`,{className:`strong`,children:[_(i,`claim is`,`claims are`),` not on this sheet. Show them on the page, then print it again.`]}),t.length>0&&(0,H.jsx)(Pt,{claims:t}),(0,H.jsx)(It,{era:e,claims:t,whole:i===0})]})}function Q({name:e,children:t}){return(0,H.jsxs)(`div`,{children:[(0,H.jsx)(`dt`,{children:e}),(0,H.jsx)(`dd`,{children:t})]})}function At({era:e}){let{organization:t,user:n}=re();if(e.state!==`posted`)return`Not posted`;let r=t.people.find(t=>t.id===e.posted_by)?.name??(e.posted_by===n?.id?n?.name:null);return(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(j,{value:e.posted_at,full:!0}),` `,jt(e,r)]})}function jt(e,t){return e.posted_by_rule?`by the automation (${be(e.posted_by_rule)})`:t?`by ${t}`:e.posted_by?.startsWith(`key_`)?`by a program`:``}function Mt({era:e}){return(0,H.jsxs)(H.Fragment,{children:[e.bank.summary,e.bank.deposits.map(e=>(0,H.jsxs)(`span`,{children:[` `,`Deposit of `,(0,H.jsx)(T,{value:e.date}),`: `,k(e.amount),e.fee!==`0.00`&&` and ${k(e.fee)} of fees`,`.`]},e.deposit_id))]})}var Nt={applied:``,ignored:`Ignored`,unmatched:`Matches no claim`,needs_review:`Needs review`,forwarded:`Forwarded`};function Pt({claims:e}){let t=Ot(e);return(0,H.jsxs)(`table`,{children:[(0,H.jsx)(`thead`,{children:(0,H.jsxs)(`tr`,{children:[(0,H.jsx)(`th`,{children:`Patient`}),(0,H.jsx)(`th`,{children:`Service`}),(0,H.jsx)(`th`,{children:`Charge`}),(0,H.jsx)(`th`,{children:`Allowed`}),(0,H.jsx)(`th`,{children:`Write-off`}),(0,H.jsx)(`th`,{children:`Not paid`}),(0,H.jsx)(`th`,{children:`Patient`}),(0,H.jsx)(`th`,{children:`Paid`})]})}),e.map(e=>(0,H.jsxs)(`tbody`,{children:[(0,H.jsxs)(`tr`,{children:[(0,H.jsxs)(`td`,{children:[(0,H.jsx)(`strong`,{children:E(F(e.patient_name))}),` `,E(e.patient_control_number)]}),(0,H.jsx)(`td`,{children:(0,H.jsx)(N,{from:e.service_dates.first,to:e.service_dates.last})}),(0,H.jsx)($,{of:e.charge}),(0,H.jsx)($,{of:Dt(e)}),(0,H.jsx)($,{of:e.contractual}),(0,H.jsx)($,{of:e.not_paid}),(0,H.jsx)($,{of:q(e)}),(0,H.jsx)($,{of:e.paid,strong:!0})]}),(0,H.jsx)(`tr`,{className:`why`,children:(0,H.jsx)(`td`,{colSpan:8,children:Ft(e)})})]},e.ordinal)),(0,H.jsx)(`tfoot`,{children:(0,H.jsxs)(`tr`,{children:[(0,H.jsx)(`td`,{colSpan:2,children:_(e.length,`claim`)}),(0,H.jsx)($,{of:t.charge}),(0,H.jsx)($,{of:t.allowed}),(0,H.jsx)($,{of:t.contractual}),(0,H.jsx)($,{of:t.not_paid}),(0,H.jsx)($,{of:t.patient}),(0,H.jsx)($,{of:t.paid,strong:!0})]})})]})}function $({of:e,strong:t}){return(0,H.jsx)(`td`,{className:t?`strong`:void 0,children:e===null?(0,H.jsx)(D,{}):k(e)})}function Ft(e){let t=Et(e).map(e=>`${Me(e.reason)} (${e.group}-${e.reason}) ${k(e.amount)}`),n=e.remark_labels.map(e=>e.label===e.code?e.code:e.label);return E([Nt[e.status],e.status_code===`1`?void 0:V(e.status_code),e.payer_claim_number&&`Payer's number ${e.payer_claim_number}`,...t,...n,!e.balanced&&`Does not add up`].filter(Boolean).join(` · `))}function It({era:e,claims:t,whole:n}){let{applied:r,paid:i}=Ot(t),{ignored:a,unfinished:o}=e.unapplied,s=e.provider_adjustments.reduce((e,t)=>e+O(t.amount),0),c=O(e.payment.provider_adjustments_total)-s,l=O(e.payment.total)-O(i)+O(e.payment.provider_adjustments_total),u=O(i)-O(r)-O(a.paid)-O(o.paid),d=[[`On claims`,r],[`Ignored, on no claim (${a.claims.toLocaleString(`en-US`)})`,a.paid],[`Not allocated, on no claim (${o.claims.toLocaleString(`en-US`)})`,o.paid],...u===0?[]:[[`Forwarded or set aside`,I(u)]],...e.provider_adjustments.map(e=>[E([`Provider adjustment: ${e.label} (${e.reason})`,e.reference].filter(Boolean).join(`, `)),L(e.amount)]),...c===0?[]:[[`Other provider adjustments`,I(-c)]]];return(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(`table`,{className:`sheet-sums`,children:(0,H.jsxs)(`tbody`,{children:[n&&d.map(([e,t],n)=>(0,H.jsxs)(`tr`,{children:[(0,H.jsx)(`td`,{children:e}),(0,H.jsx)($,{of:t})]},n)),n&&l!==0&&(0,H.jsxs)(`tr`,{children:[(0,H.jsx)(`td`,{children:`Difference that nothing explains`}),(0,H.jsx)($,{of:I(l)})]}),(0,H.jsxs)(`tr`,{children:[(0,H.jsx)(`td`,{className:`strong`,children:`Payment`}),(0,H.jsx)($,{of:e.payment.total,strong:!0})]})]})}),(0,H.jsxs)(`p`,{children:[e.balanced?`All amounts add up.`:`The amounts do not all add up.`,e.parts.length>0&&` The payment has ${_(e.parts.length,`other part`)} in remittances of their own.`,e.acknowledged&&` Acknowledged: ${E(e.acknowledged.note??``)}`]}),e.balance.findings.map(e=>(0,H.jsx)(`p`,{children:E(e.explanation)},e.explanation))]})}function Lt(){let{id:e}=t({strict:!1}),{api:n,mode:r}=b(),i=n.useQuery(`get`,`/eras/{id}`,{params:{path:{id:e}}}),a=mt(e,i.data!==void 0),o=xe(e);if(!i.data||o.isPending)return(0,H.jsx)(h,{title:`Remittance`,rows:10,of:i.data?o:i});let s=i.data;return(0,H.jsxs)(p,{title:E(s.payer?.name??s.payer_name),above:(0,H.jsx)(ie,{to:`/remittances`,children:`Remittances`}),about:(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(ue,{era:s}),(0,H.jsxs)(`span`,{className:`wrap-anywhere`,children:[_e(s.payment.method),` `,E(s.payment.trace_number)]}),(0,H.jsx)(T,{value:s.payment.date}),(0,H.jsx)(`strong`,{children:(0,H.jsx)(P,{value:s.payment.total})})]}),actions:(0,H.jsx)(Jt,{era:s}),printed:(0,H.jsxs)(`p`,{children:[r===`test`&&(0,H.jsx)(`strong`,{children:`Test mode: no real payment. `}),[E(s.payer?.name??s.payer_name),`${_e(s.payment.method)} ${E(s.payment.trace_number)}`,s.payment.date&&M(s.payment.date),k(s.payment.total)].filter(Boolean).join(` · `)]}),children:[(0,H.jsxs)(`div`,{className:`no-print not-on-paper`,children:[(0,H.jsx)(Se,{tasks:o}),(0,H.jsx)(Ie,{era:s}),U(s)&&(0,H.jsx)(zt,{era:s}),(0,H.jsx)(Bt,{era:s}),(0,H.jsx)(Be,{era:s}),(0,H.jsxs)(d,{title:`Payment`,children:[(0,H.jsx)(qt,{era:s}),(0,H.jsxs)(`p`,{children:[s.bank.summary,s.bank.deposits.map(e=>(0,H.jsxs)(B.Fragment,{children:[` `,(0,H.jsxs)(A,{to:`/deposits/${e.deposit_id}`,children:[`Deposit of `,(0,H.jsx)(T,{value:e.date})]})]},e.deposit_id))]}),(0,H.jsx)(Rt,{era:s}),(0,H.jsx)(Ht,{era:s})]}),(0,H.jsx)(ht,{era:s,of:a}),(0,H.jsx)(fe,{of:`/eras/{id}/notes`,id:s.id}),(0,H.jsx)(ye,{id:s.id},s.id)]}),(0,H.jsx)(kt,{era:s,claims:a.data?.pages.flatMap(e=>e.data)??[]})]})}function Rt({era:e}){return!U(e)||e.bank.status!==`awaited`&&e.bank.status!==`partly`?null:(0,H.jsxs)(`div`,{className:`row no-print`,children:[(0,H.jsx)(n,{"data-act":`matchDeposit`,to:`/deposits`,children:`Find the deposit`}),(0,H.jsx)(`span`,{className:`muted`,children:`Open the deposit that pays it and match them there. If there is none, ask the payer to trace the payment.`})]})}function zt({era:e}){let t=de(e);return e.state===`posted`?(0,H.jsxs)(c,{tone:`good`,title:(0,H.jsxs)(H.Fragment,{children:[`Posted `,(0,H.jsx)(j,{value:e.posted_at,full:!0}),e.posted_by_rule&&` by the automation (${be(e.posted_by_rule)})`]}),children:[he(e),t>0&&(0,H.jsxs)(H.Fragment,{children:[_(t,`claim is`,`claims are`),` not finished. You can still match, apply or ignore `,o(t,`it`,`them`),`.`]})]}):t>0?(0,H.jsxs)(c,{tone:`warn`,title:_(t,`claim needs a decision`,`claims need a decision`),children:[`Apply, match or ignore `,o(t,`it`,`each of them`),`. Then post the remittance.`]}):me(e)>0?(0,H.jsx)(c,{tone:`info`,title:`Molar is applying ${_(me(e),`claim`)}`,children:`This page shows them when they are done.`}):!e.balanced&&e.acknowledged?(0,H.jsx)(c,{tone:`info`,title:`Every claim is finished, and the difference is acknowledged`,children:`Enter the payment in the practice's books. Then post the remittance here.`}):e.balanced?(0,H.jsx)(c,{tone:`good`,title:`Every claim is finished, and all amounts add up`,children:`Enter the payment in the practice's books. Then post the remittance here.`}):(0,H.jsx)(c,{tone:`warn`,title:`Every claim is finished, but the amounts do not add up`,children:`Ask the payer about the difference before you post the remittance.`})}function Bt({era:e}){if(e.state!==`posted`||e.left_out.length===0)return null;let t=t=>{let n=e.claims.data.find(e=>e.claim_id===t);return n&&E(F(n.patient_name))||`Open the claim`};return(0,H.jsxs)(d,{title:`Not reconciled`,flush:!0,children:[(0,H.jsx)(R,{caption:`Claims that were left out when the remittance was posted`,rows:e.left_out,id:e=>e.claim_id,columns:[{head:`Claim`,cell:e=>(0,H.jsx)(A,{to:`/claims/${e.claim_id}`,children:t(e.claim_id)})},{head:`What is left to do`,cell:e=>e.message}]}),e.left_out_count>e.left_out.length&&(0,H.jsxs)(`p`,{className:`muted`,children:[`These are the first `,e.left_out.length,` of `,e.left_out_count.toLocaleString(`en-US`),`. Today lists what needs a person.`]})]})}function Vt(e,t){if(t.checked===0)return``;if(t.failed===0)return o(t.checked,`The ${e} adds up.`,`All ${_(t.checked,e)} add up.`);let n=o(t.failed,`does not`,`do not`);return`${`${_(t.failed,e)} of ${t.checked.toLocaleString(`en-US`)}`} ${n} add up, by ${k(t.off)} in total.`}function Ht({era:e}){let{payment:t,claims:n,lines:r,findings:i}=e.balance,a=i.find(e=>e.level===`payment`&&e.expected!==null),o=a?.expected??(t.balanced?e.payment.total:null),s=o===null||e.parts.length>0?null:I(O(o)+O(e.payment.provider_adjustments_total)),l=a?.off??t.off;return(0,H.jsxs)(H.Fragment,{children:[(0,H.jsxs)(`dl`,{className:`equation`,children:[(0,H.jsxs)(`div`,{children:[(0,H.jsx)(`dt`,{children:`Claims paid`}),(0,H.jsx)(`dd`,{children:(0,H.jsx)(P,{value:s})})]}),(0,H.jsxs)(`div`,{children:[(0,H.jsxs)(`dt`,{children:[(0,H.jsx)(`span`,{className:`only-read`,children:`plus `}),`Provider adjustments`]}),(0,H.jsx)(`dd`,{children:(0,H.jsx)(Gt,{value:L(e.payment.provider_adjustments_total)})})]}),(0,H.jsxs)(`div`,{children:[(0,H.jsx)(`dt`,{children:`Payment`}),(0,H.jsx)(`dd`,{children:(0,H.jsx)(P,{value:e.payment.total,strong:!0})})]}),(0,H.jsxs)(`div`,{className:t.balanced?void 0:`off`,children:[(0,H.jsx)(`dt`,{children:`Difference`}),(0,H.jsx)(`dd`,{children:(0,H.jsx)(P,{value:l,strong:!t.balanced})})]})]}),(0,H.jsx)(`p`,{className:n.failed+r.failed>0?`off`:`muted`,children:[Vt(`claim`,n),Vt(`line`,r)].filter(Boolean).join(` `)}),i.filter(e=>e.level===`payment`).map(e=>(0,H.jsx)(`p`,{className:`off wrap-anywhere`,children:E(e.explanation)},e.explanation)),!t.balanced&&(0,H.jsx)(Wt,{era:e}),e.warnings.map(e=>(0,H.jsx)(c,{tone:`warn`,children:E(e.message)},e.code)),e.provider_adjustments.length>0&&(0,H.jsx)(`div`,{className:`inset`,children:(0,H.jsx)(R,{caption:`Provider adjustments`,rows:e.provider_adjustments.map((e,t)=>({a:e,i:t})),id:e=>String(e.i),columns:[{head:`Provider adjustment`,cell:({a:e})=>(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(`span`,{className:`strong`,children:E(e.label)}),` `,(0,H.jsx)(`code`,{className:`muted`,children:E(e.reason)})]})},{head:`Reference`,cell:({a:e})=>e.reference?(0,H.jsx)(`span`,{className:`wrap-anywhere`,children:E(e.reference)}):(0,H.jsx)(D,{})},{head:`Claim`,cell:({a:e})=>e.claim_id?(0,H.jsx)(A,{to:`/claims/${e.claim_id}`,children:`Open the claim`}):(0,H.jsx)(D,{})},{head:`Effect on the payment`,right:!0,cell:({a:e})=>(0,H.jsx)(Gt,{value:L(e.amount)})}]})}),e.forwarded_balance&&(0,H.jsx)(Ut,{balance:e.forwarded_balance})]})}function Ut({balance:{balance:e,entries:t}}){let n=O(e);return(0,H.jsxs)(`details`,{children:[(0,H.jsxs)(`summary`,{children:[n>0&&`The payer will take ${k(e)} from later payments`,n<0&&`The payer owes ${k(L(e))} from earlier payments`,n===0&&`No balance is carried to later payments`]}),(0,H.jsx)(R,{caption:`Balances carried over by this payer`,rows:t.map((e,t)=>({b:e,i:t})),id:e=>String(e.i),columns:[{head:`Payment`,cell:({b:e})=>(0,H.jsx)(A,{to:`/remittances/${e.era_id}`,children:E(e.trace_number||e.era_id)})},{head:`Effect on the payment`,right:!0,cell:({b:e})=>(0,H.jsx)(Gt,{value:L(e.amount)})},{head:`Left to take`,right:!0,cell:({b:e})=>(0,H.jsx)(P,{value:e.balance})}]})]})}function Wt({era:e}){let t=C(),n=S((t,n,r)=>t.POST(`/eras/{id}/acknowledge`,{params:{path:{id:e.id},header:n},body:{note:r}}),{says:`The difference is acknowledged.`});return e.acknowledged?(0,H.jsxs)(`p`,{className:`wrap-anywhere`,children:[`Acknowledged `,(0,H.jsx)(j,{value:e.acknowledged.at}),`: `,E(e.acknowledged.note??``)]}):!t.write||!U(e)?null:(0,H.jsx)(`div`,{className:`row no-print`,children:(0,H.jsx)(w,{title:`Acknowledge the difference?`,action:`Acknowledge`,note:`Why it is right, or what the payer said`,noteRequired:!0,onConfirm:e=>n.go(e),trigger:e=>(0,H.jsx)(r,{"data-act":`acknowledgeERA`,busy:n.isPending,onClick:e,children:`Acknowledge the difference`}),children:(0,H.jsx)(`p`,{children:`The remittance then no longer needs attention. It still shows that its amounts do not add up.`})})})}function Gt({value:e}){return(0,H.jsxs)(`span`,{className:`numbers nowrap`,children:[O(e)>0&&`+`,k(e)]})}var Kt={CHK:`Check number`,ACH:`EFT trace number`};function qt({era:e}){let{api:t}=b(),n=t.useQuery(`get`,`/offices`,{params:{query:{limit:100}}}).data?.data.find(t=>t.id===e.office_id)?.name;return(0,H.jsx)(f,{items:[[Kt[e.payment.method]??`Trace number`,(0,H.jsx)(`span`,{className:`numbers`,children:E(e.payment.trace_number)},`t`)],...e.payer&&e.payer.name.toLowerCase()!==e.payer_name.toLowerCase()?[[`Payer in the file`,E(e.payer_name)]]:[],[`Paid to`,e.office_id?n??`…`:`No single office matches`],[`Received`,(0,H.jsx)(j,{value:e.received_at,full:!0},`r`)],[`Progress`,(0,H.jsx)(ge,{era:e},`p`)]]})}function Jt({era:e}){let t=a(),n=C(),o=se(),[s,c]=(0,B.useState)(!1),[l,d]=(0,B.useState)(null),[f,p]=(0,B.useState)(!1),m=t=>({path:{id:e.id},header:t}),h=S((e,t,n)=>e.POST(`/eras/{id}/post`,{params:m(t),body:n?{accept_unfinished:!0,reconcile:!0}:{reconcile:!0}}),{says:e=>`The remittance is posted. ${he(e)}`.trim(),done:()=>d(null),refused:e=>(e.error===`CONFLICT`&&d(e.message),e.error===`CONFLICT`)}),g=S((e,t)=>e.POST(`/eras/{id}/unpost`,{params:m(t),body:{}}),{says:`The remittance is unposted.`}),_=pe(e)===e.counts.claims;return(0,H.jsxs)(H.Fragment,{children:[n.write&&U(e)&&e.state!==`posted`&&(0,H.jsx)(r,{"data-act":`postERA`,look:_?`primary`:`plain`,busy:h.isPending,onClick:()=>h.go(!1),children:`Post`}),(0,H.jsx)(r,{icon:(0,H.jsx)(v,{size:16,"aria-hidden":!0}),onClick:()=>window.print(),children:`Print`}),(0,H.jsxs)(u,{label:`More actions`,items:[{label:`Show the 835 file`,onSelect:()=>c(!0)},{label:`Copy the ID`,onSelect:()=>{navigator.clipboard.writeText(e.id).then(()=>o.good(`Copied the ID`))}},{label:`Copy as curl`,onSelect:()=>t(`/eras/${e.id}`)},...n.write&&e.state===`posted`?[{label:`Unpost`,onSelect:()=>p(!0),danger:!0}]:[]],children:[`More`,(0,H.jsx)(i,{size:16,"aria-hidden":!0})]}),(0,H.jsx)(wt,{id:e.id,open:s,onOpenChange:c}),(0,H.jsx)(ae,{title:`Post it with unfinished claims?`,open:l!==null,onOpenChange:e=>{e||d(null)},children:(0,H.jsxs)(`div`,{className:`stack`,children:[(0,H.jsx)(`p`,{children:l}),(0,H.jsx)(`p`,{className:`muted`,children:`You can post the remittance now, and match, apply or ignore the rest later.`}),(0,H.jsxs)(`div`,{className:`dialog-actions`,children:[(0,H.jsx)(r,{onClick:()=>d(null),children:`Finish the claims first`}),(0,H.jsx)(r,{look:`primary`,busy:h.isPending,onClick:()=>h.go(!0),children:`Post anyway`})]})]})}),(0,H.jsx)(ae,{title:`Unpost the remittance?`,open:f,onOpenChange:p,children:(0,H.jsxs)(`div`,{className:`stack`,children:[(0,H.jsxs)(`p`,{children:[`The remittance of `,k(e.payment.total),` is then no longer posted, and you can unapply its claims. Correct the practice's books too. The claims that its posting reconciled are reopened, except those that a person changed since.`]}),(0,H.jsxs)(`div`,{className:`dialog-actions`,children:[(0,H.jsx)(oe,{}),(0,H.jsx)(r,{look:`danger`,busy:g.isPending,onClick:()=>{g.go(),p(!1)},children:`Unpost`})]})]})})]})}export{Lt as RemittanceDetail};