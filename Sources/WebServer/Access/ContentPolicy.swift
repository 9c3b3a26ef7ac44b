/// Header fields that keep an answer from everything else (Content Security Policy Level 3; Fetch, section 3.6, for
/// `Cross-Origin-Resource-Policy`).
///
/// `default-src 'none'` stands for `connect-src`, `object-src`, `worker-src` and all that is not named. It doesn't stand
/// for `base-uri`, `form-action`, `frame-ancestors` and `sandbox`.
package enum ContentPolicy {
    package typealias Fields = [(name: String, value: String)]

    /// Answers that are no pages: data for programs, files of a page, redirections and refusals.
    package static func service() -> Fields {
        fields(sameOrigin, policy([], ancestors: "'none'", sandbox: "sandbox"))
    }

    /// A form that sends to this server alone and is not kept.
    package static func form() -> Fields {
        fields(sameOrigin, alone, policy([], ancestors: "'none'", forms: "'self'"), [("Cache-Control", "no-store")])
    }

    // MARK: Parts

    package static let policyName = "Content-Security-Policy"

    /// Browsers may look up the hosts of a page's links before they are followed, unless this field says no.
    private static let common: Fields = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("X-DNS-Prefetch-Control", "off"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ]

    /// Only pages of this server read it.
    package static let sameOrigin: Fields = [("Cross-Origin-Resource-Policy", "same-origin")]

    /// Documents in a sandbox read it: their origin equals no other, so that `same-origin` would refuse it to them.
    package static let anyOrigin: Fields = [("Cross-Origin-Resource-Policy", "cross-origin")]

    /// For documents without a sandbox alone: browsers show none that has both (HTML, section 7.4.5).
    package static let alone: Fields = [("Cross-Origin-Opener-Policy", "same-origin")]

    /// The fields of all answers, and `parts`.
    package static func fields(_ parts: Fields...) -> Fields { common + parts.flatMap { $0 } }

    /// A policy of `sources`, each a directive, and of nothing else.
    package static func policy(
        _ sources: [String], ancestors: String, forms: String = "'none'", sandbox: String? = nil
    ) -> Fields {
        let rest = ["base-uri 'none'", "form-action \(forms)", "frame-ancestors \(ancestors)"]
        let all = ["default-src 'none'"] + sources + rest + [sandbox].compactMap(\.self)
        return [(policyName, all.joined(separator: "; "))]
    }
}
