package estimate

// secondSteps returns what the second plan's payment is computed from: its own terms, and what it would pay alone.
// The paths of its check are not those of the estimate's, so its steps have none.
func (t *terms) secondSteps(l *Line) (out []Step, own Range) {
	out = t.steps(l, theSecond())
	if t.struck != nil || !t.maybe {
		return out, Range{}
	}
	parts := t.parts()
	own = Exactly(parts[0].pays)
	for _, p := range parts[1:] {
		own = Range{min(own.Least, p.pays), max(own.Most, p.pays)}
	}
	return append(out, Step{Text: "Alone, the second plan would pay " + own.String() + ".", Amount: &own}), own
}

// steps says how the second plan counts what the first one pays: of its own benefit, which it would pay alone, and of
// its allowance.
func (c Coordination) steps(own, allowed Range, pays paying) (out []Step) {
	if own.Most == 0 {
		return nil
	}
	add := func(text string, amount Range) { out = append(out, Step{Text: text, Amount: &amount}) }
	within := own // what the rule leaves, before what is left to pay
	switch c {
	case Standard:
		add("It pays that, up to what is left to pay after the first plan: "+pays.left.String()+".", pays.left)
		return out
	case Basic:
		room := Range{max(0, allowed.Least-pays.first.Most), max(0, allowed.Most-pays.first.Least)}
		within = own.lower(room)
		add("Both plans together pay no more than the second plan allows. After the "+pays.first.String()+" of the first plan, "+room.String()+" of that is left.", room)
	case CarveOut:
		within = Range{max(0, own.Least-pays.first.Most), max(0, own.Most-pays.first.Least)}
		add("From that it takes off what the first plan pays: "+pays.first.String()+".", pays.first)
	case NonDuplication:
		within = Range{max(0, own.Least-pays.first.Most), max(0, own.Most-pays.first.Least)}
		add("It pays only the part of that above the "+pays.first.String()+" of the first plan.", pays.first)
	}
	if pays.left.Most < within.Most {
		add("No more than "+pays.left.String()+" is left to pay.", pays.left)
	}
	return out
}

// secondUncertain returns what the line lacks under the second plan.
func (t *terms) secondUncertain(l *Line, p *Plan) (out []string) {
	for _, text := range t.uncertain(l.underSecond(), p) {
		out = append(out, "Second plan: "+text)
	}
	return out
}
