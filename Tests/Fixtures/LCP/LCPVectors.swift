// Written by make-vectors.sh; change that and run it again.
public import Foundation

/// Licences of the basic profile (LCP 1.0, section 6.3), certificates and cipher text, made by the openssl tool.
public enum LCPVectors {
    /// Opens all licences.
    public static let passphrase = "White whale"

    /// The `id` of all licences.
    public static let identifier = "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678"

    /// The SHA-256 of ``passphrase``.
    public static let userKey = data("fsSdnXCxMB2WQKyYAxfu6+7O4D/Gx2+fk91Vr3Jyzag=")

    /// The key of the resources.
    public static let contentKey = data("QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8=")

    /// ``contentKey``, encrypted with ``userKey``, vector first.
    public static let encryptedContentKey = data(
        """
        EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==
        """)

    /// ``identifier``, encrypted with ``userKey``, vector first.
    public static let keyCheck = data(
        """
        YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w==
        """)

    /// A resource of 100 bytes.
    public static let resource = Data(
        "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purs".utf8)

    /// ``resource``, encrypted.
    public static let encryptedResource = data(
        """
        MDc+RUxTWmFob3Z9hIuSmfRUS6pZQZV6Rh5q4FzvKIRc8AoaGpzHfK8PE/DNpH25lOnMrZzVG78XP3e508+VEkkR6qsPHf/pksGW
        C2PR7uKVJ14+iTkm4xgnOXvbAhGB6rUs56v1GLNTh96+hMMaVMpDkiI99RmnHbs8Pl9eXXA=
        """)

    /// A resource of 1220 bytes.
    public static let largerResource = Data(
        String(repeating: "The sea, the sea. A whale, a white whale, and the sea again.\n", count: 20).utf8)

    /// ``largerResource``, deflated (RFC 1951), then encrypted.
    public static let deflatedResource = data(
        """
        kJeepayzusHIz9bd5Ovy+feBfxux0nuBILnLEFrqtUXXyhtkbuc1cA/9qNyZOlVjnFQ4Ns6eKVvpYt6LwWRMoQgS4ROeCguOxzER
        J2Sp5MM=
        """)

    /// The signature of ``resource`` by the key of ``rsaCertificatePEM``.
    public static let rsaSignature = data(
        """
        o+VZzvxzK2DWT2mYZm1Z7u8Mv7nSdFuQYS01DmSWjbEJBHsuAsr+ZfdNMbImhQNtSs/Ihqe334CGvzQ2TCon3qTTBhHmzFUGj3w4
        VhydcRWMj0+3QprB9882OaAF83SoQE78vhLPyjz2F6VmOSYMk58CWceiwXskLEdKXtRmWc4Y5BzRMYM1fOFvdpE7Wdj3gHSpSPMT
        Xp6bqNoGl/031tkgVWrwFXjl5F3Hsa1XJk37fkvs2Ql2q6bY9bEBH/w3PbzXuIQq48Bk9je6XFrshlRJ+kX+UHnaWMGGVMITkfDk
        x6YJLKcHzW3G4/fYRCJVUP8hyd0lXMxRj+TZSFyJxA==
        """)

    /// The signature of ``resource`` by the key of ``ecdsaCertificatePEM``, as two numbers.
    public static let ecdsaSignature = data(
        """
        dfxzW2wG6myoe44DDhYL2GcCGzMOM5ZR1pJjKx8JwJy9ofbOfiucj/NnZgtJoR8+hPF562QNFCka181HKUwDAw==
        """)

    /// ``ecdsaSignature`` in DER.
    public static let ecdsaDERSignature = data(
        """
        MEUCIHX8c1tsBupsqHuOAw4WC9hnAhszDjOWUdaSYysfCcCcAiEAvaH2zn4rnI/zZ2YLSaEfPoTxeetkDRQpGtfNRylMAwM=
        """)

    /// A root, valid from 2020 to 2050.
    public static let rootCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIIDEDCCAfigAwIBAgICEAEwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2Fy
        cmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1
        MDAxMDEwMDAwMDBaMCgxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMQ0wCwYDVQQD
        DARSb290MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyTFT6oNyb+V9
        6HFEDBj0L3FmDIxOgeHBSXgZEF+W2027hwrB7UrjLbY9SoYoAEYsoTL9wa5W4AfO
        BtYe1zEdeV6DVEGMF7671bZflv1OlH74MgR/F6oUei3Dr8jdKnNKgvUpA8mMOtCu
        tXQWoJmUIp5NF3DuVDgPVPkx+rPXpYNfcPc2+l+qX02ZpVhrKP4GvgJAOElQEp9Q
        iR4rH/XR99TQwkcIecVe5BF+cOkeuvKkekLuSZ2t1Ss6Tz9vlU9zkx5L4mXmtTJ/
        HtdNjZm/3Jy/TYnCy47ysW9LFqBU5lYZummUhqn0NrzyIFb3e3iQCbWV0sS5GDT3
        836EjQ6yoQIDAQABo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIB
        BjAdBgNVHQ4EFgQUkQvfgNXjJxUwF+MtAj5AFXO16egwDQYJKoZIhvcNAQELBQAD
        ggEBALSN7Jwyb/uW3GbKAmw4HZGvLJSUTbn3b4paqtCetzgtN+MEZxLFthBCo7B1
        53Yj8qtJ7c+g5mmqupDAMjJ1/GZyEkbD4ctrhvqFAFD9PhoJI38YEoi1bSkkXqyv
        2P+aKmJ1+crSPgp3o5gl6BP6M1nR5IdoqQayrXRr1xcmsNBVwR1zJByrp/KKuYhx
        kvlKg1zIN4GxgvElzWm2gf0eYQCwS4/OY0as6ZsftzTM4gRy0XP4G9hcDiAAghFg
        tsCMRWhjtP1IiKX7sM89Ll5PsLQGzMdDlMLQC9DEEH4SrsZwTAocH57ecPt8QWm7
        SOvwEtIwXsTQKJUk0zlom6nMxBE=
        -----END CERTIFICATE-----
        """#

    /// The same root with the same key, valid until 2021.
    public static let shortRootCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIIDDjCCAfagAwIBAgICIAEwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2Fy
        cmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEw
        MTAxMDAwMDAwWjAoMRcwFQYDVQQKDA5DYXJyZWwncyB0ZXN0czENMAsGA1UEAwwE
        Um9vdDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMkxU+qDcm/lfehx
        RAwY9C9xZgyMToHhwUl4GRBflttNu4cKwe1K4y22PUqGKABGLKEy/cGuVuAHzgbW
        HtcxHXleg1RBjBe+u9W2X5b9TpR++DIEfxeqFHotw6/I3SpzSoL1KQPJjDrQrrV0
        FqCZlCKeTRdw7lQ4D1T5Mfqz16WDX3D3Nvpfql9NmaVYayj+Br4CQDhJUBKfUIke
        Kx/10ffU0MJHCHnFXuQRfnDpHrrypHpC7kmdrdUrOk8/b5VPc5MeS+Jl5rUyfx7X
        TY2Zv9ycv02JwsuO8rFvSxagVOZWGbpplIap9Da88iBW93t4kAm1ldLEuRg09/N+
        hI0OsqECAwEAAaNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYw
        HQYDVR0OBBYEFJEL34DV4ycVMBfjLQI+QBVztenoMA0GCSqGSIb3DQEBCwUAA4IB
        AQC8mXs8c0IRx894MdppLhnW0estpDEJSd0VD9BjiwAH0GAIncL/TEOE9r26WheU
        8/UoqH89tDoVVjH/iUsqMD4UmAfBWsvFmEEveUMEf8m+9Vt6t4gqVjYzII+LqD+l
        tUMFLo1wsRnc/YvLgnXzvQe+i2FmM1lupMUV5RXkvYUsz9EQcQWd/50CYlFWTIhL
        5BOFm0ThqK60l1FvOVM2nmOMPH3L5775d7VIY6eZOZmF4AnNIOe1iCW8L9O26YXB
        pifWQzyrI++YNJ21cgHnsp1+SZ6//+YWLta3+pkOlefHcEnVb6TqZ9NuM50WL8XL
        d3Ci+D2ipx5A0RvPpUK6xntV
        -----END CERTIFICATE-----
        """#

    /// Another root.
    public static let strangerRootCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIIBlDCCATqgAwIBAgICMAEwCgYIKoZIzj0EAwIwMDEXMBUGA1UECgwOQ2FycmVs
        J3MgdGVzdHMxFTATBgNVBAMMDEFub3RoZXIgcm9vdDAgFw0yMDAxMDEwMDAwMDBa
        GA8yMDUwMDEwMTAwMDAwMFowMDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxFTAT
        BgNVBAMMDEFub3RoZXIgcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFdj
        b916iIGM83zhvEiviLK2Olf/ufuSBqAiASWhyQPVt54ldzQIJi3YQJMuAb99A8ZQ
        Wx59XB8ZIidIoGZub+qjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQD
        AgEGMB0GA1UdDgQWBBTVudklsA6I2HDhjAldBp8Y3qORAzAKBggqhkjOPQQDAgNI
        ADBFAiEAnronfPxiuGPhu8j3jNdF/tsy5RGcoeCyotmzezmnRWcCIBt5b8rD3UCO
        Nsc51ZYtrWefaKMYK/wOYVljlAaw7aG4
        -----END CERTIFICATE-----
        """#

    /// A provider under the root, RSA with 2048 bits, valid from 2020 to 2050.
    public static let rsaCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIIDPTCCAiWgAwIBAgICEAIwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2Fy
        cmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1
        MDAxMDEwMDAwMDBaMDcxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMRwwGgYDVQQD
        DBNCb29rc2VsbGVyIHdpdGggUlNBMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB
        CgKCAQEAyEYi3i1UAMXoXPGt/MjmG/x/byfD73T5ojKSh7ulnO6c7u8GZ2m7xd40
        iMjhpe7+bkd2fN903myt81jq89T8Nt+ZyMYqQDO7e1a2ly7aB5qBJBh3DshOiKSC
        eZRyg7qvCwynSO59QV1QVjs5ZVnROJgvGaEOBuCg28MR/tZyRbCQTVnImkB7YkXZ
        vYo24Sr9whoeQdJbdRsVqYc8PANOq3wktW1FzvlZN21OITT3IDWGCzB+jOoXZLB0
        vaCJ9o3rCtA+/j3WpzhcOGUbSbIRBgZjUkTQQhCu4tlqvkXJULoiDxi5WhyIRy3E
        8rPyU5w0v3kG6Y0UnR5FzwuSVyJDbQIDAQABo2AwXjAMBgNVHRMBAf8EAjAAMA4G
        A1UdDwEB/wQEAwIHgDAdBgNVHQ4EFgQU4qIDevxzGS7MnhY7dts8fOZkwNIwHwYD
        VR0jBBgwFoAUkQvfgNXjJxUwF+MtAj5AFXO16egwDQYJKoZIhvcNAQELBQADggEB
        AANz+7wK2myEh3ZKnDPOX+orP9ReXIcflsnbvQvuOWU159ItIXR2U4o+bb9MrGEN
        2oyxyarxGVmMOO0d0LKeXN/r+7TPO22O4RzYofew+ys+HFdy6etiEEViouDY5YNd
        qnIK+qCcrj1061Oiem2UpTQx1pPmYY7GzYZ/6q5UjrtiXvDhkzxuX1uH2Iux0IpA
        sS7t1panplePuANkQdqRsy+YdpvSVAGtMZp4nbuC5ys8PL5VGnst2Sbchy8MxPIt
        Lp4HevVXZeoOpvUQOqygLK+UaAR4O0aJ9dMVGZ53WiO+h4eOYFI6EtB8Gj3LujTD
        w+UGzbyuMEsB1a2eVTcSAlQ=
        -----END CERTIFICATE-----
        """#

    /// A provider under the root, P-256, valid from 2020 to 2050.
    public static let ecdsaCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIICdjCCAV6gAwIBAgICEAMwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2Fy
        cmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1
        MDAxMDEwMDAwMDBaMDsxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMSAwHgYDVQQD
        DBdCw7xjaGVydGlzY2ggd2l0aCBQLTI1NjBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABBXTZREPGNMLp+WIWaT1G7Zptwxax3XEvt4Yan/eXELd0Ct62dkwMfBzQWh7
        3lRe601X+umfgLSoTJYWt4PbdRujYDBeMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/
        BAQDAgeAMB0GA1UdDgQWBBTzlNAwu7xMom+FQjrRD4g6ZKe8tzAfBgNVHSMEGDAW
        gBSRC9+A1eMnFTAX4y0CPkAVc7Xp6DANBgkqhkiG9w0BAQsFAAOCAQEAtTCs33+R
        rG7X0gIJfilO3U0YEQLAY66+0iKL7AvHYHcn+FhpS0Ouw67ey74mH0r0BABhFe41
        EzmUqhJjbkwK0TSZ9meFtqCelcCDShfuusJBP+mXvtdkwmPVGXNXyCHFvTCcb091
        KyOvSSodmc6q8+ZnrFWMMjhlk3TmogCmBRXymNjuAckM8eiH6WJYGDdcYA4Y0raL
        pmF5I0GUmDGi3PJbwhc/e9MUEsBklTxi03dC4Z+9bMVFwErRROEMkWcBVouSjuXB
        vEBFPW+7P6fmxI6PUUzp+Vi7OomdUaymZ64NUrjM5VI4n0Fo7rx5Ifj98zWanvUv
        teTS53jXy67MWA==
        -----END CERTIFICATE-----
        """#

    /// A provider under the root, P-256, valid from 2020 to 2021.
    public static let expiredCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIICcjCCAVqgAwIBAgICEAQwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2Fy
        cmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEw
        MTAxMDAwMDAwWjA5MRcwFQYDVQQKDA5DYXJyZWwncyB0ZXN0czEeMBwGA1UEAwwV
        Qm9va3NlbGxlciB1bnRpbCAyMDIxMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        +Q9csbfD8cyZ2gTo+qHE8kuXbXNh5aYcKjoYaXvEu+Zefyg9e7n2ZhPg3mUmCbtE
        EwBBudQjQdAipc4GcYZLIaNgMF4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMC
        B4AwHQYDVR0OBBYEFDAl8384SUT3gU982IhnhMeWERruMB8GA1UdIwQYMBaAFJEL
        34DV4ycVMBfjLQI+QBVztenoMA0GCSqGSIb3DQEBCwUAA4IBAQCxrUEIGOCbPt2P
        0nIFrR7P7tum92jC3ra6LiTfV7QoZo1JN2bI3/GEwYf8EGpfFAmPZYbDNSEn94Qi
        c5j7/vGAM86r8YKkoyhEEva0AvVtqcSHQsYbtEPbZldEm+elVHWc8O4NPM6D6xUE
        ZsbrLM1juiVeH6BnMpt4IFrg7gMVzPWlclEOFE+Ge6UruUNpeyzGRIwMT7zeqayx
        ykV2ylwjtTWYmCXhMlIEvm73sE3JlwBEWRixzdc3yN9m6X1NZMnnw67wl/3/e62w
        zviwwzU57SA7VfH0GfpqTkHuhPUvIY84MIidGujT1nkj+Hs5GNBWZlCJLhKEk9+b
        2Z3Tn6Jn
        -----END CERTIFICATE-----
        """#

    /// A provider under the root, P-256, which the revocation list has.
    public static let revokedCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIICfDCCAWSgAwIBAgICEAUwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2Fy
        cmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1
        MDAxMDEwMDAwMDBaMEExFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMSYwJAYDVQQD
        DB1Cb29rc2VsbGVyIHdob3NlIGtleSB3YXMgbG9zdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABJoFMmLiV679i31LTaKQZiu/qsXkloUl0J+aNlfNaX3VYlnQntXo
        XGVho+rOKzNyF8TUMECm5UMNmiReVr2tC/+jYDBeMAwGA1UdEwEB/wQCMAAwDgYD
        VR0PAQH/BAQDAgeAMB0GA1UdDgQWBBS9ml7Y3ZnuG+B541jf562D6Q6yuzAfBgNV
        HSMEGDAWgBSRC9+A1eMnFTAX4y0CPkAVc7Xp6DANBgkqhkiG9w0BAQsFAAOCAQEA
        hlp0NpoQO2j5bOt9WCC/Gb+006I3w9jyQAFMP3n6ZIPzejEDIbRaNP6iJWtcRQDm
        x5D5/F06Y6XcN2GTCOzeqfnefMrfFX2oscNo82Hb30s5TUuR6wOKbFivra4vYhyM
        lV+76swzNWdo8iwN9vxhl0ae1RSKP3zJ5cRXmWgrn+8tZ8bDibB/TPrQk1H6WKR5
        X++sc3D7z1g+qdPZGqJ4pDRIfhF2770SBl7nFLNKcgDSujflc2q9TJNRD1K9fIq/
        usTCYy5cqi3EPi/txpzvFNDK4+Hz+L4qf38N8FP6AsV0cIDbOBWRAeB1/D0T1Cj/
        PeaYj9/pvSbqPGKba27rBA==
        -----END CERTIFICATE-----
        """#

    /// A provider under the other root, P-256.
    public static let strangerCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIIBxDCCAWmgAwIBAgICMAIwCgYIKoZIzj0EAwIwMDEXMBUGA1UECgwOQ2FycmVs
        J3MgdGVzdHMxFTATBgNVBAMMDEFub3RoZXIgcm9vdDAgFw0yMDAxMDEwMDAwMDBa
        GA8yMDUwMDEwMTAwMDAwMFowQTEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxJjAk
        BgNVBAMMHUJvb2tzZWxsZXIgdW5kZXIgYW5vdGhlciByb290MFkwEwYHKoZIzj0C
        AQYIKoZIzj0DAQcDQgAE2McwSXOyLTmltcAkFF4tIF/ic/090lKq4qLFU/iidwra
        mRsRuVcb2ftFbEML35g3LW9k1ZcdWEwguSgUNGA+c6NgMF4wDAYDVR0TAQH/BAIw
        ADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFFNLaks/m4ZE3y3VzOxlqB2goH09
        MB8GA1UdIwQYMBaAFNW52SWwDojYcOGMCV0Gnxjeo5EDMAoGCCqGSM49BAMCA0kA
        MEYCIQCaybI1wP5rpg3pZaZwbJj6eDi0SqJB5TL4ShJVcEr21wIhAOAdY4l6rBWQ
        KpZAHkO1urShQTH92dk7VyxRPWoTK26K
        -----END CERTIFICATE-----
        """#

    /// An authority under the root, P-256.
    public static let intermediateCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIICcTCCAVmgAwIBAgICEAYwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2Fy
        cmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1
        MDAxMDEwMDAwMDBaMDAxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMRUwEwYDVQQD
        DAxJbnRlcm1lZGlhdGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR18aytBHUS
        HNnv/TxNBYyBqJKR1oe2YJcQSRQiTJl4O8KgrlyEO20epe4QVd6SXLL5DjBKSTD4
        k2IKi1xe+mCSo2YwZDASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIC
        BDAdBgNVHQ4EFgQUktmI7aYDcedBIM8W9mRcOFQArrswHwYDVR0jBBgwFoAUkQvf
        gNXjJxUwF+MtAj5AFXO16egwDQYJKoZIhvcNAQELBQADggEBACKl4F9ViS5SbniD
        s04tB1zgkv4cW6WWFRbzy1O2v4JcXQ7w7zXUIW11mPJlRcihY0u+gIKgEcFmsd2k
        rrwuUTQ9bqV/SxlAv0e1iGyrf4aGd8AU4iGStnxYFO1gmJCK4N65F/hOLqXYGGGL
        SuWnFSpOV/IYl+46RJi3ks6ddnobPFJ6YTcDhYsaoiy0Mv8XWhkIoq+VzUv4ezof
        dNIttne9vNN83RtXVuw9YUAVk5qsxK3v1zHB9sS8ma/jhNI1XcsdTFMkmdjtmL8Y
        aeWvmxGGfDO19fMnSodmhGdo5RFsCxRIf6L1JJu1oLz0yFidNgp4yXtfhCvPm1K4
        njh5sfg=
        -----END CERTIFICATE-----
        """#

    /// A provider under the intermediate authority, P-256.
    public static let belowCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIIBxzCCAWygAwIBAgICQAEwCgYIKoZIzj0EAwIwMDEXMBUGA1UECgwOQ2FycmVs
        J3MgdGVzdHMxFTATBgNVBAMMDEludGVybWVkaWF0ZTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMDUwMDEwMTAwMDAwMFowRDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxKTAn
        BgNVBAMMIEJvb2tzZWxsZXIgdW5kZXIgYW4gaW50ZXJtZWRpYXRlMFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEFztIreiqf6c5PIQgmgqAq3r6wWY/q6kajbx1pMvs
        Lql3+71Rkmgs4IcxrFkKNo69OJVygnIYw1Xu9aFIOP/SrKNgMF4wDAYDVR0TAQH/
        BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFDZq+6TTHzLAv/310vVCsbwT
        2/mIMB8GA1UdIwQYMBaAFJLZiO2mA3HnQSDPFvZkXDhUAK67MAoGCCqGSM49BAMC
        A0kAMEYCIQCi+ZDml0FJkK+Y6W32gx2Z4B2bWzICPOU1ItiOuppOYQIhANWPkGLN
        jzMQVAjWDFW0E3jmgbV4DsTDXeojxY76LW2g
        -----END CERTIFICATE-----
        """#

    /// A provider whose certificate ``ecdsaCertificatePEM`` signed, which is no authority.
    public static let forgedCertificatePEM = #"""
        -----BEGIN CERTIFICATE-----
        MIIByzCCAXGgAwIBAgICUAEwCgYIKoZIzj0EAwIwOzEXMBUGA1UECgwOQ2FycmVs
        J3MgdGVzdHMxIDAeBgNVBAMMF0LDvGNoZXJ0aXNjaCB3aXRoIFAtMjU2MCAXDTIw
        MDEwMTAwMDAwMFoYDzIwNTAwMTAxMDAwMDAwWjA+MRcwFQYDVQQKDA5DYXJyZWwn
        cyB0ZXN0czEjMCEGA1UEAwwaQm9va3NlbGxlciBieSBhIGJvb2tzZWxsZXIwWTAT
        BgcqhkjOPQIBBggqhkjOPQMBBwNCAARZNGJ1hvpGAe1K+uUCxlPssvYuIvt0+VQQ
        S9FOtCHivjEQy3RI3v3+1EC61gHEffKHv33bWB6NC9+h6wX1ZCUXo2AwXjAMBgNV
        HRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAdBgNVHQ4EFgQUaQJaTxJjNhTa5pEy
        AWlJfhli2P4wHwYDVR0jBBgwFoAU85TQMLu8TKJvhUI60Q+IOmSnvLcwCgYIKoZI
        zj0EAwIDSAAwRQIhAMmdTaQSqZYDCb0RDG4PzS7TdKLvtlPAX4Xi1fShSoqBAiB7
        zZZNhjBMKKI9txO2smmXVUYQDdMYDeHSQoidxH2cuA==
        -----END CERTIFICATE-----
        """#

    /// The private key of ``rsaCertificatePEM``, for tests only.
    public static let rsaKeyPEM = #"""
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDIRiLeLVQAxehc
        8a38yOYb/H9vJ8PvdPmiMpKHu6Wc7pzu7wZnabvF3jSIyOGl7v5uR3Z833TebK3z
        WOrz1Pw235nIxipAM7t7VraXLtoHmoEkGHcOyE6IpIJ5lHKDuq8LDKdI7n1BXVBW
        OzllWdE4mC8ZoQ4G4KDbwxH+1nJFsJBNWciaQHtiRdm9ijbhKv3CGh5B0lt1GxWp
        hzw8A06rfCS1bUXO+Vk3bU4hNPcgNYYLMH6M6hdksHS9oIn2jesK0D7+PdanOFw4
        ZRtJshEGBmNSRNBCEK7i2Wq+RclQuiIPGLlaHIhHLcTys/JTnDS/eQbpjRSdHkXP
        C5JXIkNtAgMBAAECggEAAIfTeyew4DyJitqmH1+nAvz9v2RInz8XcWmx0bp1bMXr
        Xj96wCFiqw2jq8/xOlbjU6uCnoQo8hoVQBHyQdh9g7hS0Ukxu/MY6eZE+iS2aOQf
        9llXIeUX3dux5FmtD8+zZllQ91abpwIfgB4uwn/d0M65Enchzu/KE1nnJdXMGAO+
        YK2CwaYA4foPnz7MRJL3Pa1W/ZG5a3ZapIY/qQ5UJdffG3f6kt+7cfvI8doTNoqC
        ZjQBC0rcIDh1hfc8JZLD4yzBi+Q0AecyQZaHtUmkG+fUUM0hhCbB4LRlWgH+SO5R
        FctiMs5iXeWuQFk1RPykW702JDkqgbb0Gxd1Ol56HQKBgQDjCRE2pgeFyC2az82a
        iowZMFHzPXjRwcDZC+YPILCaShef5pZNWBY0k3pJ6M3fKTpTA8IqC8UXKLqspFZJ
        TgylmkpL8xncnhfGbmeV7jIc5vZz+oC8vJ5DCT22gyU7pEOwU4EzOc86WQS5gSAm
        8CRP4u0bFJ/mHQ6jqoa9++3uywKBgQDh0wuTOfmHHJYAx18HOq/xFpxLCEa2tTnX
        H1A77SwJBfrjjo6gYJ01cUgNLTuub1BQnVSBpQihpsyUUyaRgyaNHxn4gs91cG7C
        Tui0L7vjKWiqnsyeZJKWUk64MLDIiOBisW5yJ3ALGU7/eVIa6zeGMiSOmB5FFogV
        WLPvLz3XpwKBgQCSCqoc+i4Km5riY9vBFnBKX6/HhPpsC3Nu6t2BS6juhsytmhmD
        BS+7gEaAtpV/gLi438kNXObaH+P82/V5UBCIkjhKpMU1CikHBsvxQPjRaKyOLEyV
        m8s+GfqtpazUsbSs/vo0JnKr+Mk2Pt6czYq+LJ4S9nBpCLX7B92G5kDGgwKBgQCK
        /culDUzQ5T5KMmwB1hRObh06bVigwgBcsLBAgiTVVPHrt2V/vpdkOlofihSus2Ka
        i4tk1D/wxuop7NfTPgavW1Ivy8uGu/Hf9JNzu+GH2ofKZD0KzFoQ3Y4H/igA9YYu
        GIkjB7UFj8k4ouJvIREmrpwji+stmMWfZd4xvEDzBwKBgADzm7l5LrFFY43v9f7H
        KtAY6V6v0uJLa7wsEYu1h+e9n0FhtDPmJ21uT0Tn+a0t2+8vjmMYHwpDRre5nmCd
        Xfwco4+HtOp/MtUolOCG+YfqQQbh11CbGHok83bQ/dm8bvR9alliKilmeW4/1/g2
        wDvz0214h0xO6BhL8mdYhkD1
        -----END PRIVATE KEY-----
        """#

    /// The private key of ``ecdsaCertificatePEM``, for tests only.
    public static let ecdsaKeyPEM = #"""
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLH4zFtfWdMA2y6Uv
        7nDCSvRD1CR3DRUTZZRsdljNjN+hRANCAAQV02URDxjTC6fliFmk9Ru2abcMWsd1
        xL7eGGp/3lxC3dAretnZMDHwc0Foe95UXutNV/rpn4C0qEyWFreD23Ub
        -----END PRIVATE KEY-----
        """#

    /// The private key of ``expiredCertificatePEM``, for tests only.
    public static let expiredKeyPEM = #"""
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpSFRHfMESURdqXl6
        tkjoIzhyl3zdhiaveyF51BwWl9ihRANCAAT5D1yxt8PxzJnaBOj6ocTyS5dtc2Hl
        phwqOhhpe8S75l5/KD17ufZmE+DeZSYJu0QTAEG51CNB0CKlzgZxhksh
        -----END PRIVATE KEY-----
        """#

    /// The private key of ``revokedCertificatePEM``, for tests only.
    public static let revokedKeyPEM = #"""
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcxRKh6RaKK3Xj3Er
        8oy7K1Vx22AWOlcZkZ1bCOD0yIuhRANCAASaBTJi4leu/Yt9S02ikGYrv6rF5JaF
        JdCfmjZXzWl91WJZ0J7V6FxlYaPqziszchfE1DBApuVDDZokXla9rQv/
        -----END PRIVATE KEY-----
        """#

    /// The private key of ``strangerCertificatePEM``, for tests only.
    public static let strangerKeyPEM = #"""
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9AeONoB2vnvN2Y04
        qHyWeATYzaecvwIo6NpYfYDMF7+hRANCAATYxzBJc7ItOaW1wCQUXi0gX+Jz/T3S
        UqriosVT+KJ3CtqZGxG5VxvZ+0VsQwvfmDctb2TVlx1YTCC5KBQ0YD5z
        -----END PRIVATE KEY-----
        """#

    /// The root's list with ``revokedCertificatePEM``, of 2026-01-01, valid until 2050.
    public static let revocationListPEM = #"""
        -----BEGIN X509 CRL-----
        MIIBvTCBpgIBATANBgkqhkiG9w0BAQsFADAoMRcwFQYDVQQKDA5DYXJyZWwncyB0
        ZXN0czENMAsGA1UEAwwEUm9vdBcNMjYwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAw
        MDBaMCMwIQICEAUXDTI2MTEyOTA2MTE1NFowDDAKBgNVHRUEAwoBAaAjMCEwHwYD
        VR0jBBgwFoAUkQvfgNXjJxUwF+MtAj5AFXO16egwDQYJKoZIhvcNAQELBQADggEB
        AIQa2YGdZG3ZZ/YMzQDynmswgrzWHtsiwWMKiLHEGMRKo10UcATRXaeL2tlyYB0r
        eKJlpaAyTpNa7VErD9pnj1YVPHvzwQEHyvIoUvvxZAyMI+9U7ORsXG1X1VKgLyag
        GI/L/Pjbdxpy8/Gz3PNXn8esD8/JqPcpNJXjh/XPpTXJnbGKCerTzoJjNlC1mHp9
        IwT56kvjQwnafBXZw4BdMo4/UczOllhmIA2CJ9RRmcupiA0CA7hr3t78Zn3s2cRk
        0Sek7aJyFw6CRVKKWeRhN1OCmh4V+/v5eNRtJElr8Cla0t/R5TlLxheI+OBnYhkg
        mAHxrrFNe9oxm7Bn5mk9gPA=
        -----END X509 CRL-----
        """#

    /// The root's list of 2021-01-01, valid until 2022, without a certificate.
    public static let oldRevocationListPEM = #"""
        -----BEGIN X509 CRL-----
        MIIBlTB/AgEBMA0GCSqGSIb3DQEBCwUAMCgxFzAVBgNVBAoMDkNhcnJlbCdzIHRl
        c3RzMQ0wCwYDVQQDDARSb290Fw0yMTAxMDEwMDAwMDBaFw0yMjAxMDEwMDAwMDBa
        oCMwITAfBgNVHSMEGDAWgBSRC9+A1eMnFTAX4y0CPkAVc7Xp6DANBgkqhkiG9w0B
        AQsFAAOCAQEATcgvDhz221pJWevl1HsuedVyuMkMbgmcjYYprzlDIhTU/b95d6xB
        CN4mAJlOcSsVFTAmJqfq4rzHLhzxjQI43z1lYmpL3XHlYvlnxE4oBtMXkY0yRXOY
        33v5rjKxP4W8k32z1+GiPb/3p/DOIdlpkPNBUyiG7OzcBDAt6vykc0UPzFhTR/Ih
        zn+4L+2pHmT1DTYullsv1qrlMx5Z3hitHJkeNvZQ1x9qm0ruFWTldZnKeDFrQOMR
        1jJBQXA2m+QAy5tnk2/FVyzbfC6NQKPQtiFjFNGvpAeeSRgrcQdVvhIr9n2r3Zat
        g1X0zWTmX02M4bBkl1wKPTBNBUbhxxW6PQ==
        -----END X509 CRL-----
        """#

    /// The other root's list of 2026-01-01, without a certificate.
    public static let strangerRevocationListPEM = #"""
        -----BEGIN X509 CRL-----
        MIHgMIGGAgEBMAoGCCqGSM49BAMCMDAxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3Rz
        MRUwEwYDVQQDDAxBbm90aGVyIHJvb3QXDTI2MDEwMTAwMDAwMFoYDzIwNTAwMTAx
        MDAwMDAwWqAjMCEwHwYDVR0jBBgwFoAU1bnZJbAOiNhw4YwJXQafGN6jkQMwCgYI
        KoZIzj0EAwIDSQAwRgIhAKjBmoKpJpp7H6ANnpZnPaBfuo3ycl/rxQ7S0sYQpuZt
        AiEA58oj2C+PrJ+K4+PKJpw40p/Eb00bLBuDnyOXNKktkBg=
        -----END X509 CRL-----
        """#

    /// A list by ``intermediateCertificatePEM``, whose key is not one for lists.
    public static let intermediateRevocationListPEM = #"""
        -----BEGIN X509 CRL-----
        MIHgMIGGAgEBMAoGCCqGSM49BAMCMDAxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3Rz
        MRUwEwYDVQQDDAxJbnRlcm1lZGlhdGUXDTI2MDEwMTAwMDAwMFoYDzIwNTAwMTAx
        MDAwMDAwWqAjMCEwHwYDVR0jBBgwFoAUktmI7aYDcedBIM8W9mRcOFQArrswCgYI
        KoZIzj0EAwIDSQAwRgIhAK8JeZdcYprwTKzaL/HCILuTA2zQCvrIFH7lBWjK9TEJ
        AiEA/d66cpRDtbOXwEm8BUGzqXEPKNV60FBy9o5BU4BxJD4=
        -----END X509 CRL-----
        """#

    /// A list by the root with a critical extension without a meaning.
    public static let unknownRevocationListPEM = #"""
        -----BEGIN X509 CRL-----
        MIIBwzCBrAIBATANBgkqhkiG9w0BAQsFADAoMRcwFQYDVQQKDA5DYXJyZWwncyB0
        ZXN0czENMAsGA1UEAwwEUm9vdBcNMjYwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAw
        MDBaMCMwIQICEAUXDTI2MTEyOTA2MTE1NFowDDAKBgNVHRUEAwoBAaApMCcwJQYF
        aYnUygUBAf8EGQwXQSBydWxlIHdpdGhvdXQgYSByZWFkZXIwDQYJKoZIhvcNAQEL
        BQADggEBACf7kmJu/zbmAQmDyNiapl7TDaxbIxSDUF4esT8Qc5JthqV06LH+IZ/k
        cTZaUx4/KCeONqpbZw0skIGDbj+vpfg81+nbUPb5QJ4WmDsji01bn8XKmVCGFQO/
        4y3mqmqF1lGsxnfa97R66iZhKatYC2gskXkyXTTkKqZw4zNHflQzSkndygj6cqKX
        YGrujd+eJzKkx7g9mVPjPfrht0Tc4tHiQYH8smCz6pC6IQve4SVCgsra0tRwsH5V
        O+9NR71DfaJXrReUmSBDHRrx3rn8v2+85sYYxT6fyvPWuUYAkAH2Qw8DE3lSg5Tn
        RjsncIuzfgZieGWTizASolj3n1JugLc=
        -----END X509 CRL-----
        """#

    /// A licence with an RSA signature.
    public static let rsaLicense = #"""
        {
         "provider": "https://books.example.org",
         "id": "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678",
         "issued": "2025-06-01T12:00:00Z",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {
           "encrypted_value": "EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
          },
          "user_key": {
           "text_hint": "Which animal? “Farbe” first, 🐋 second",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
           "key_check": "YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w=="
          }
         },
         "links": [
          {
           "rel": "hint",
           "href": "https://books.example.org/hint",
           "type": "text/html"
          },
          {
           "rel": "publication",
           "href": "https://books.example.org/moby-dick.epub",
           "type": "application/epub+zip",
           "title": "Moby-Dick; or, \"The Whale\""
          }
         ],
         "user": {
          "id": "ishmael",
          "name": "Ishmaël / \\ Ishmael\t ",
          "encrypted": []
         },
         "rights": {
          "print": 10,
          "copy": 2048
         },
         "signature": {
          "algorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
          "certificate": "MIIDPTCCAiWgAwIBAgICEAIwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAwMDBaMDcxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMRwwGgYDVQQDDBNCb29rc2VsbGVyIHdpdGggUlNBMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyEYi3i1UAMXoXPGt/MjmG/x/byfD73T5ojKSh7ulnO6c7u8GZ2m7xd40iMjhpe7+bkd2fN903myt81jq89T8Nt+ZyMYqQDO7e1a2ly7aB5qBJBh3DshOiKSCeZRyg7qvCwynSO59QV1QVjs5ZVnROJgvGaEOBuCg28MR/tZyRbCQTVnImkB7YkXZvYo24Sr9whoeQdJbdRsVqYc8PANOq3wktW1FzvlZN21OITT3IDWGCzB+jOoXZLB0vaCJ9o3rCtA+/j3WpzhcOGUbSbIRBgZjUkTQQhCu4tlqvkXJULoiDxi5WhyIRy3E8rPyU5w0v3kG6Y0UnR5FzwuSVyJDbQIDAQABo2AwXjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAdBgNVHQ4EFgQU4qIDevxzGS7MnhY7dts8fOZkwNIwHwYDVR0jBBgwFoAUkQvfgNXjJxUwF+MtAj5AFXO16egwDQYJKoZIhvcNAQELBQADggEBAANz+7wK2myEh3ZKnDPOX+orP9ReXIcflsnbvQvuOWU159ItIXR2U4o+bb9MrGEN2oyxyarxGVmMOO0d0LKeXN/r+7TPO22O4RzYofew+ys+HFdy6etiEEViouDY5YNdqnIK+qCcrj1061Oiem2UpTQx1pPmYY7GzYZ/6q5UjrtiXvDhkzxuX1uH2Iux0IpAsS7t1panplePuANkQdqRsy+YdpvSVAGtMZp4nbuC5ys8PL5VGnst2Sbchy8MxPItLp4HevVXZeoOpvUQOqygLK+UaAR4O0aJ9dMVGZ53WiO+h4eOYFI6EtB8Gj3LujTDw+UGzbyuMEsB1a2eVTcSAlQ=",
          "value": "vj5Kf2MpHikhTuAQoCqKw6NMgXhWi2OsWr2nj0n5H9Mc+EDtHybFGAi9VMmd+0Y9QpRo3uYc6Hlcl6aRVVTBNl6z3QkF8aQQwMSYS8WIaOHPjfzX26HtDjK0dDjv3M3lnyomWk6J6O6W5BuPYvhC2v1R2YD+mmIOEqj8s5spatjQDSA6jVNhJGn+FIbTB3+gj3jjB9fEdrZDO3b6xmOS8sIvB11i4FRC/vzNCDrjK9nTv3hYf3wWOPlBqlO8l7G9g6DSisCQ+t4ujN9vu9TTzGDIRT/kMYBsE6+ZynAE5q4zjCzat+A/y5KGA+NTmzPxVxeEb7exWsnSHjunoV0Xfg=="
         }
        }
        """#

    /// A licence with an ECDSA signature, as the two numbers.
    public static let ecdsaLicense = #"""
        {
         "provider": "https://books.example.org",
         "id": "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678",
         "issued": "2025-06-01T12:00:00Z",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {
           "encrypted_value": "EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
          },
          "user_key": {
           "text_hint": "Which animal? “Farbe” first, 🐋 second",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
           "key_check": "YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w=="
          }
         },
         "links": [
          {
           "rel": "hint",
           "href": "https://books.example.org/hint",
           "type": "text/html"
          },
          {
           "rel": "publication",
           "href": "https://books.example.org/moby-dick.epub",
           "type": "application/epub+zip",
           "title": "Moby-Dick; or, \"The Whale\""
          }
         ],
         "user": {
          "id": "ishmael",
          "name": "Ishmaël / \\ Ishmael\t ",
          "encrypted": []
         },
         "rights": {
          "print": 10,
          "copy": 2048
         },
         "signature": {
          "algorithm": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
          "certificate": "MIICdjCCAV6gAwIBAgICEAMwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAwMDBaMDsxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMSAwHgYDVQQDDBdCw7xjaGVydGlzY2ggd2l0aCBQLTI1NjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBXTZREPGNMLp+WIWaT1G7Zptwxax3XEvt4Yan/eXELd0Ct62dkwMfBzQWh73lRe601X+umfgLSoTJYWt4PbdRujYDBeMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMB0GA1UdDgQWBBTzlNAwu7xMom+FQjrRD4g6ZKe8tzAfBgNVHSMEGDAWgBSRC9+A1eMnFTAX4y0CPkAVc7Xp6DANBgkqhkiG9w0BAQsFAAOCAQEAtTCs33+RrG7X0gIJfilO3U0YEQLAY66+0iKL7AvHYHcn+FhpS0Ouw67ey74mH0r0BABhFe41EzmUqhJjbkwK0TSZ9meFtqCelcCDShfuusJBP+mXvtdkwmPVGXNXyCHFvTCcb091KyOvSSodmc6q8+ZnrFWMMjhlk3TmogCmBRXymNjuAckM8eiH6WJYGDdcYA4Y0raLpmF5I0GUmDGi3PJbwhc/e9MUEsBklTxi03dC4Z+9bMVFwErRROEMkWcBVouSjuXBvEBFPW+7P6fmxI6PUUzp+Vi7OomdUaymZ64NUrjM5VI4n0Fo7rx5Ifj98zWanvUvteTS53jXy67MWA==",
          "value": "QMWO9KIfmfzlgtOJZ4K4VM7aO+SdYFKI3RfoNyQfwv0VySZ2ATeca/LdnvGjfXUdvW0oqBq7+qkFb8JKO0hcQA=="
         }
        }
        """#

    /// A licence with an ECDSA signature in DER.
    public static let ecdsaDERLicense = #"""
        {
         "provider": "https://books.example.org",
         "id": "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678",
         "issued": "2025-06-01T12:00:00Z",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {
           "encrypted_value": "EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
          },
          "user_key": {
           "text_hint": "Which animal? “Farbe” first, 🐋 second",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
           "key_check": "YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w=="
          }
         },
         "links": [
          {
           "rel": "hint",
           "href": "https://books.example.org/hint",
           "type": "text/html"
          },
          {
           "rel": "publication",
           "href": "https://books.example.org/moby-dick.epub",
           "type": "application/epub+zip",
           "title": "Moby-Dick; or, \"The Whale\""
          }
         ],
         "user": {
          "id": "ishmael",
          "name": "Ishmaël / \\ Ishmael\t ",
          "encrypted": []
         },
         "rights": {
          "print": 10,
          "copy": 2048
         },
         "signature": {
          "algorithm": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
          "certificate": "MIICdjCCAV6gAwIBAgICEAMwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAwMDBaMDsxFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMSAwHgYDVQQDDBdCw7xjaGVydGlzY2ggd2l0aCBQLTI1NjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBXTZREPGNMLp+WIWaT1G7Zptwxax3XEvt4Yan/eXELd0Ct62dkwMfBzQWh73lRe601X+umfgLSoTJYWt4PbdRujYDBeMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMB0GA1UdDgQWBBTzlNAwu7xMom+FQjrRD4g6ZKe8tzAfBgNVHSMEGDAWgBSRC9+A1eMnFTAX4y0CPkAVc7Xp6DANBgkqhkiG9w0BAQsFAAOCAQEAtTCs33+RrG7X0gIJfilO3U0YEQLAY66+0iKL7AvHYHcn+FhpS0Ouw67ey74mH0r0BABhFe41EzmUqhJjbkwK0TSZ9meFtqCelcCDShfuusJBP+mXvtdkwmPVGXNXyCHFvTCcb091KyOvSSodmc6q8+ZnrFWMMjhlk3TmogCmBRXymNjuAckM8eiH6WJYGDdcYA4Y0raLpmF5I0GUmDGi3PJbwhc/e9MUEsBklTxi03dC4Z+9bMVFwErRROEMkWcBVouSjuXBvEBFPW+7P6fmxI6PUUzp+Vi7OomdUaymZ64NUrjM5VI4n0Fo7rx5Ifj98zWanvUvteTS53jXy67MWA==",
          "value": "MEUCIFWgLlGiS6qEFNbdpscKLLU6CBZuCJMOZSZqXdunCh5xAiEAxkisotr23/INQqcy9IQiUKqLG+LPpzqno5mX+yqxz3A="
         }
        }
        """#

    /// A licence of 2020-06-01 by the provider whose certificate ended in 2021.
    public static let licenseBeforeExpiry = #"""
        {
         "provider": "https://books.example.org",
         "id": "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678",
         "issued": "2020-06-01T12:00:00Z",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {
           "encrypted_value": "EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
          },
          "user_key": {
           "text_hint": "Which animal? “Farbe” first, 🐋 second",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
           "key_check": "YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w=="
          }
         },
         "links": [
          {
           "rel": "hint",
           "href": "https://books.example.org/hint",
           "type": "text/html"
          },
          {
           "rel": "publication",
           "href": "https://books.example.org/moby-dick.epub",
           "type": "application/epub+zip",
           "title": "Moby-Dick; or, \"The Whale\""
          }
         ],
         "user": {
          "id": "ishmael",
          "name": "Ishmaël / \\ Ishmael\t ",
          "encrypted": []
         },
         "rights": {
          "print": 10,
          "copy": 2048
         },
         "signature": {
          "algorithm": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
          "certificate": "MIICcjCCAVqgAwIBAgICEAQwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjA5MRcwFQYDVQQKDA5DYXJyZWwncyB0ZXN0czEeMBwGA1UEAwwVQm9va3NlbGxlciB1bnRpbCAyMDIxMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+Q9csbfD8cyZ2gTo+qHE8kuXbXNh5aYcKjoYaXvEu+Zefyg9e7n2ZhPg3mUmCbtEEwBBudQjQdAipc4GcYZLIaNgMF4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFDAl8384SUT3gU982IhnhMeWERruMB8GA1UdIwQYMBaAFJEL34DV4ycVMBfjLQI+QBVztenoMA0GCSqGSIb3DQEBCwUAA4IBAQCxrUEIGOCbPt2P0nIFrR7P7tum92jC3ra6LiTfV7QoZo1JN2bI3/GEwYf8EGpfFAmPZYbDNSEn94Qic5j7/vGAM86r8YKkoyhEEva0AvVtqcSHQsYbtEPbZldEm+elVHWc8O4NPM6D6xUEZsbrLM1juiVeH6BnMpt4IFrg7gMVzPWlclEOFE+Ge6UruUNpeyzGRIwMT7zeqayxykV2ylwjtTWYmCXhMlIEvm73sE3JlwBEWRixzdc3yN9m6X1NZMnnw67wl/3/e62wzviwwzU57SA7VfH0GfpqTkHuhPUvIY84MIidGujT1nkj+Hs5GNBWZlCJLhKEk9+b2Z3Tn6Jn",
          "value": "lDI2M6kStTRXLrutcjyj4UZWoJRFluKuFTchYwZWsVL7m1+6ahht4sMn/pipJC1Js55len5ZH5OAJxJTbNEBtA=="
         }
        }
        """#

    /// A licence of 2025-06-01 by the same provider.
    public static let licenseAfterExpiry = #"""
        {
         "provider": "https://books.example.org",
         "id": "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678",
         "issued": "2025-06-01T12:00:00Z",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {
           "encrypted_value": "EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
          },
          "user_key": {
           "text_hint": "Which animal? “Farbe” first, 🐋 second",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
           "key_check": "YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w=="
          }
         },
         "links": [
          {
           "rel": "hint",
           "href": "https://books.example.org/hint",
           "type": "text/html"
          },
          {
           "rel": "publication",
           "href": "https://books.example.org/moby-dick.epub",
           "type": "application/epub+zip",
           "title": "Moby-Dick; or, \"The Whale\""
          }
         ],
         "user": {
          "id": "ishmael",
          "name": "Ishmaël / \\ Ishmael\t ",
          "encrypted": []
         },
         "rights": {
          "print": 10,
          "copy": 2048
         },
         "signature": {
          "algorithm": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
          "certificate": "MIICcjCCAVqgAwIBAgICEAQwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjA5MRcwFQYDVQQKDA5DYXJyZWwncyB0ZXN0czEeMBwGA1UEAwwVQm9va3NlbGxlciB1bnRpbCAyMDIxMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+Q9csbfD8cyZ2gTo+qHE8kuXbXNh5aYcKjoYaXvEu+Zefyg9e7n2ZhPg3mUmCbtEEwBBudQjQdAipc4GcYZLIaNgMF4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFDAl8384SUT3gU982IhnhMeWERruMB8GA1UdIwQYMBaAFJEL34DV4ycVMBfjLQI+QBVztenoMA0GCSqGSIb3DQEBCwUAA4IBAQCxrUEIGOCbPt2P0nIFrR7P7tum92jC3ra6LiTfV7QoZo1JN2bI3/GEwYf8EGpfFAmPZYbDNSEn94Qic5j7/vGAM86r8YKkoyhEEva0AvVtqcSHQsYbtEPbZldEm+elVHWc8O4NPM6D6xUEZsbrLM1juiVeH6BnMpt4IFrg7gMVzPWlclEOFE+Ge6UruUNpeyzGRIwMT7zeqayxykV2ylwjtTWYmCXhMlIEvm73sE3JlwBEWRixzdc3yN9m6X1NZMnnw67wl/3/e62wzviwwzU57SA7VfH0GfpqTkHuhPUvIY84MIidGujT1nkj+Hs5GNBWZlCJLhKEk9+b2Z3Tn6Jn",
          "value": "ABp8Uy2u8RfXu4BxkwpZ6S99LMlqQ1ZCVyjrRP03oV3KKrxK1g1MDaVjenHXwZMbUzw6Dd6u6C2o18+WSe7oXw=="
         }
        }
        """#

    /// A licence by the provider whose certificate was revoked.
    public static let revokedLicense = #"""
        {
         "provider": "https://books.example.org",
         "id": "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678",
         "issued": "2025-06-01T12:00:00Z",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {
           "encrypted_value": "EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
          },
          "user_key": {
           "text_hint": "Which animal? “Farbe” first, 🐋 second",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
           "key_check": "YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w=="
          }
         },
         "links": [
          {
           "rel": "hint",
           "href": "https://books.example.org/hint",
           "type": "text/html"
          },
          {
           "rel": "publication",
           "href": "https://books.example.org/moby-dick.epub",
           "type": "application/epub+zip",
           "title": "Moby-Dick; or, \"The Whale\""
          }
         ],
         "user": {
          "id": "ishmael",
          "name": "Ishmaël / \\ Ishmael\t ",
          "encrypted": []
         },
         "rights": {
          "print": 10,
          "copy": 2048
         },
         "signature": {
          "algorithm": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
          "certificate": "MIICfDCCAWSgAwIBAgICEAUwDQYJKoZIhvcNAQELBQAwKDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxDTALBgNVBAMMBFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAwMDBaMEExFzAVBgNVBAoMDkNhcnJlbCdzIHRlc3RzMSYwJAYDVQQDDB1Cb29rc2VsbGVyIHdob3NlIGtleSB3YXMgbG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJoFMmLiV679i31LTaKQZiu/qsXkloUl0J+aNlfNaX3VYlnQntXoXGVho+rOKzNyF8TUMECm5UMNmiReVr2tC/+jYDBeMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMB0GA1UdDgQWBBS9ml7Y3ZnuG+B541jf562D6Q6yuzAfBgNVHSMEGDAWgBSRC9+A1eMnFTAX4y0CPkAVc7Xp6DANBgkqhkiG9w0BAQsFAAOCAQEAhlp0NpoQO2j5bOt9WCC/Gb+006I3w9jyQAFMP3n6ZIPzejEDIbRaNP6iJWtcRQDmx5D5/F06Y6XcN2GTCOzeqfnefMrfFX2oscNo82Hb30s5TUuR6wOKbFivra4vYhyMlV+76swzNWdo8iwN9vxhl0ae1RSKP3zJ5cRXmWgrn+8tZ8bDibB/TPrQk1H6WKR5X++sc3D7z1g+qdPZGqJ4pDRIfhF2770SBl7nFLNKcgDSujflc2q9TJNRD1K9fIq/usTCYy5cqi3EPi/txpzvFNDK4+Hz+L4qf38N8FP6AsV0cIDbOBWRAeB1/D0T1Cj/PeaYj9/pvSbqPGKba27rBA==",
          "value": "S6MzNFNiQb7rJzv+QeoxNlJuDPeYAau82haOqLiARjlnjOgehvk6GgYI8gKXtKCvldfMyPZLPfAtqudxe/e5gw=="
         }
        }
        """#

    /// A licence by the provider under the other root.
    public static let strangerLicense = #"""
        {
         "provider": "https://books.example.org",
         "id": "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678",
         "issued": "2025-06-01T12:00:00Z",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {
           "encrypted_value": "EBceJSwzOkFIT1ZdZGtyeaxFWvoclHC2BgKoR5RnYz5WPEqJOv7ESBJkDR0D4uJQLnxeomkd+XVpy5rr2jTyQw==",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
          },
          "user_key": {
           "text_hint": "Which animal? “Farbe” first, 🐋 second",
           "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
           "key_check": "YGdudXyDipGYn6attLvCyQBo/PE0PQkW4htNGPT3wiwYc4/O1jt7H3QOCwh0W3n2T1X5D1vsa2YsuWnDzUGV8w=="
          }
         },
         "links": [
          {
           "rel": "hint",
           "href": "https://books.example.org/hint",
           "type": "text/html"
          },
          {
           "rel": "publication",
           "href": "https://books.example.org/moby-dick.epub",
           "type": "application/epub+zip",
           "title": "Moby-Dick; or, \"The Whale\""
          }
         ],
         "user": {
          "id": "ishmael",
          "name": "Ishmaël / \\ Ishmael\t ",
          "encrypted": []
         },
         "rights": {
          "print": 10,
          "copy": 2048
         },
         "signature": {
          "algorithm": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
          "certificate": "MIIBxDCCAWmgAwIBAgICMAIwCgYIKoZIzj0EAwIwMDEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxFTATBgNVBAMMDEFub3RoZXIgcm9vdDAgFw0yMDAxMDEwMDAwMDBaGA8yMDUwMDEwMTAwMDAwMFowQTEXMBUGA1UECgwOQ2FycmVsJ3MgdGVzdHMxJjAkBgNVBAMMHUJvb2tzZWxsZXIgdW5kZXIgYW5vdGhlciByb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2McwSXOyLTmltcAkFF4tIF/ic/090lKq4qLFU/iidwramRsRuVcb2ftFbEML35g3LW9k1ZcdWEwguSgUNGA+c6NgMF4wDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFFNLaks/m4ZE3y3VzOxlqB2goH09MB8GA1UdIwQYMBaAFNW52SWwDojYcOGMCV0Gnxjeo5EDMAoGCCqGSM49BAMCA0kAMEYCIQCaybI1wP5rpg3pZaZwbJj6eDi0SqJB5TL4ShJVcEr21wIhAOAdY4l6rBWQKpZAHkO1urShQTH92dk7VyxRPWoTK26K",
          "value": "ZT7NSUKvKyR77nnC+OG8Gqx+SGovRfEt2sIWJbJlB8dwacyu+XWL64mHVnG00Qbp7UPviqBs+ilBa2bhE7iAgA=="
         }
        }
        """#

    private static func data(_ text: String) -> Data {
        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    }
}
