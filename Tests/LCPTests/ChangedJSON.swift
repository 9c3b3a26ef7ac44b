import Publication

extension JSONValue {
    /// Returns this value with another one at `path`, such as `links.0.href`, or without that member.
    func setting(_ path: String, to value: JSONValue?) -> JSONValue {
        changed(path.split(separator: ".").map(String.init)[...], to: value) ?? JSONValue.null
    }

    private func changed(_ path: ArraySlice<String>, to value: JSONValue?) -> JSONValue? {
        guard let name = path.first else { return value }
        switch self {
        case .object(var members):
            members[name] = (members[name] ?? JSONValue.object([:])).changed(path.dropFirst(), to: value)
            return .object(members)
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else { return self }
            if let element = elements[index].changed(path.dropFirst(), to: value) {
                elements[index] = element
            } else {
                elements.remove(at: index)
            }
            return .array(elements)
        default: return self
        }
    }
}
