// Former names, for apps that still use them.

extension XMLElement {
    /// The form without a label that ``attribute(_:namespace:)`` had.
    @available(*, deprecated, renamed: "attribute(_:namespace:)")
    public func attribute(_ name: String, _ namespace: String) -> String? { attribute(name, namespace: namespace) }

    /// The form without a label that ``descendants(_:namespace:)`` had.
    @available(*, deprecated, renamed: "descendants(_:namespace:)")
    public func descendants(_ name: String, _ namespace: String?) -> [XMLElement] {
        descendants(name, namespace: namespace)
    }
}
