import FileProviderCore
import Foundation
import Testing

@Suite struct ServerPinTests {
    private static let hash = [UInt8](0..<32)
    private static let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private static let colons =
        "00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F"
    private static let key = "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    @Test(arguments: [
        digits, digits.uppercased(), colons, "SHA256:\(digits)", "sha256 Fingerprint=\(colons)", " sha256:\(colons) ",
    ])
    func `a fingerprint is read in every form that programs show`(text: String) throws {
        #expect(ServerPin(text) == .certificate(Self.hash))
        #expect("\(try ServerPin(checking: text))" == Self.colons)
    }

    @Test func `a key's hash is read as curl writes it`() throws {
        #expect(ServerPin(Self.key) == .publicKey(Self.hash))
        #expect("\(try ServerPin(checking: Self.key))" == Self.key)
    }

    @Test(arguments: [
        "", "sha256//", "sha256//AAEC", String(digits.dropLast()), digits + "00", colons + ":20",
        "g" + digits.dropFirst(),
        "SHA1:\(digits)", colons.replacing("00:01", with: "000:1"), String(key.dropLast(2)), "sha256//\(digits)",
    ])
    func `what is no pin is refused`(text: String) throws {
        #expect(ServerPin(text) == nil)
        let error = #expect(throws: URLError.self) { try ServerPin(checking: text) }
        #expect(error?.code == .badURL)
    }

    @Test func `a configuration keeps pins, refuses wrong ones, and a policy without them is read`() throws {
        var configuration = try ProviderConfiguration(url: #require(URL(string: "davs://nas.example/")))
        configuration.trust = TrustPolicy(pins: [.certificate(Self.hash), .publicKey(Self.hash)])
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(ProviderConfiguration.self, from: data) == configuration)
        let written = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(written["pins"] as? [String] == [Self.colons, Self.key])
        for pins in ["[]", #"["x"]"#, #""\#(Self.key)""#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(
                    ProviderConfiguration.self, from: Data(#"{"url": "davs://h/", "pins": \#(pins)}"#.utf8))
            }
        }
        var policy = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(TrustPolicy(authorities: "a")))
                as? [String: Any])
        policy["pins"] = nil
        let earlier = try JSONDecoder().decode(
            TrustPolicy.self, from: JSONSerialization.data(withJSONObject: policy))
        #expect(earlier == TrustPolicy(authorities: "a"))
    }
}
