/// A failure that says itself whether the same operation may succeed when it is tried again later, for servers whose
/// codes Core does not know.
package protocol PassingFailure: Error {
    /// Whether another try may succeed.
    var mayPass: Bool { get }
}
