import CCurl
import FileProviderCore
import Foundation

extension EasyHandle {
    /// Sets whom to trust over TLS.
    ///
    /// - Parameter context: The transfer, as callbacks get it.
    func setTrust(_ options: ConnectionOptions, context: UnsafeMutableRawPointer) {
        let trust = options.trust
        long(CURLOPT_SSLVERSION, carrel_TLS_1_2)
        let isInsecure = trust.isInsecure && trust.pins.isEmpty
        long(CURLOPT_SSL_VERIFYPEER, isInsecure ? 0 : 1)
        long(CURLOPT_SSL_VERIFYHOST, isInsecure ? 0 : 2)
        if let authorities = trust.authorities {
            string(CURLOPT_CAINFO, authorities)
            string(CURLOPT_CAPATH, nil)
        }
        // Never nil: OpenSSL would ask for it on the terminal, and everything would wait.
        string(CURLOPT_KEYPASSWD, options.clientKeyPassword?.password ?? "")
        let looks = carrel_set_tls_callback(raw) { _, tls, context in
            Transfer.from(context)?.prepareTLS(tls) ?? CURLE_SSL_CONNECT_ERROR
        }
        _ = carrel_set_pointer(raw, CURLOPT_SSL_CTX_DATA, context)
        if !trust.pins.isEmpty { setPins(trust.pins, looks: looks == CURLE_OK && TLSLibrary.shared != nil) }
    }

    /// Lets `pins` decide instead of authority and name. Source: CURLOPT_PINNEDPUBLICKEY(3).
    ///
    /// - Parameter looks: Whether ``ServerCertificates`` sees each certificate.
    private func setPins(_ pins: [ServerPin], looks: Bool) {
        let keys = pins.compactMap { pin -> String? in
            if case .publicKey = pin { return pin.description }
            return nil
        }
        let isKeysOnly = keys.count == pins.count
        // Compared by libcurl as well, after the handshake and before anything is sent.
        let isPinned =
            isKeysOnly && carrel_set_string(raw, CURLOPT_PINNEDPUBLICKEY, keys.joined(separator: ";")) == CURLE_OK
        guard looks || isPinned else {
            // The pins cannot be compared: a hash that matches no key prevents every connection.
            string(CURLOPT_PINNEDPUBLICKEY, ServerPin.publicKey([UInt8](repeating: 0, count: 32)).description)
            return
        }
        long(CURLOPT_SSL_VERIFYHOST, 0)
        if looks {
            // The callback decides instead of the chain, and needs no authorities.
            string(CURLOPT_CAINFO, nil)
            string(CURLOPT_CAPATH, nil)
        } else {
            long(CURLOPT_SSL_VERIFYPEER, 0)
        }
    }
}
