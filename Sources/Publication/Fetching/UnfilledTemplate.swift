/// The underlying error of a request for a ``Link/templated`` link whose variables have no values yet.
struct UnfilledTemplate: Error, Hashable {}
