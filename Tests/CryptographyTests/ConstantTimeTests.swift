import Foundation
import Testing

import Cryptography

@Suite struct ConstantTimeTests {
    @Test func `bytes are equal if all of them are`() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(ConstantTime.areEqual(bytes, Data(bytes)))
        #expect(!ConstantTime.areEqual(bytes, [1, 2, 4]))
        #expect(!ConstantTime.areEqual(bytes, [0, 2, 3]))
        #expect(!ConstantTime.areEqual(bytes, [1, 2]))
        #expect(!ConstantTime.areEqual([UInt8](), bytes))
        #expect(ConstantTime.areEqual([UInt8](), Data()))
    }
}
