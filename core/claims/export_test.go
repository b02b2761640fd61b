package claims

// InPieces makes the service check n claims in a commit.
func (s *Service) InPieces(n int) *Service {
	s.chunk = n
	return s
}
