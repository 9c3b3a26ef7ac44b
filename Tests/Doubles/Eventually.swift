/// What a test waited for did not come.
package struct DidNotHappen: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ fileID: String, line: Int) {
        description = "What \(fileID):\(line) waits for did not happen within a minute."
    }
}

/// What `value` gives as soon as it gives something; it is asked every two milliseconds for a minute.
package func eventually<Value>(_ fileID: String = #fileID, _ line: Int = #line, _ value: () async throws -> Value?)
    async throws -> Value
{
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
        if let value = try await value() { return value }
        guard ContinuousClock.now < deadline else { throw DidNotHappen(fileID, line: line) }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Waits until `condition` holds.
package func eventually(_ fileID: String = #fileID, _ line: Int = #line, _ condition: () async throws -> Bool)
    async throws
{
    _ = try await eventually(fileID, line) { () -> Void? in try await condition() ? () : nil }
}
