package remittances

// InPieces makes the service work in commits of n claims.
func (s *Service) InPieces(n int) *Service {
	s.chunk = n
	return s
}
