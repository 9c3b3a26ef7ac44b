import CXML2

extension SAXReceiver {
    /// Returns the functions that libxml2 calls. Callbacks that are not set do nothing: no document is built, and the
    /// external subset is never loaded. Source: libxml2, `parser.h`, SAX2 interface.
    static func callbacks() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { user, name, _, uri, _, _, count, defaulted, attributes in
            guard let name else { return }
            let attributes = RawAttributes(start: attributes, count: Int(count - defaulted))
            receiver(user)?.start(name: name, namespace: uri, attributes: attributes)
        }
        handler.endElementNs = { user, name, _, uri in
            guard let name else { return }
            receiver(user)?.end(name: name, namespace: uri)
        }
        handler.characters = { receiver($0)?.text(UnsafeBufferPointer(start: $1, count: Int($2))) }
        // The same function for both, so that libxml2 does not guess which white space matters.
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        handler.getEntity = { user, name in name.flatMap { receiver(user)?.entity(named: $0) } }
        handler.getParameterEntity = { user, name in
            if let name { receiver(user)?.refuseEntity(named: name) }
            return nil
        }
        handler.entityDecl = { user, name, type, _, _, content in
            let isText = UInt32(bitPattern: type) == XML_INTERNAL_GENERAL_ENTITY.rawValue
            if let name { receiver(user)?.declareEntity(named: name, content: content, isText: isText) }
        }
        handler.serror = { user, error in
            if let error { receiver(user)?.report(error.pointee) }
        }
        return handler
    }
}

/// The receiver behind the pointer that libxml2 hands back; its parser keeps it alive.
private func receiver(_ user: UnsafeMutableRawPointer?) -> SAXReceiver? {
    user.map { Unmanaged<SAXReceiver>.fromOpaque($0).takeUnretainedValue() }
}
