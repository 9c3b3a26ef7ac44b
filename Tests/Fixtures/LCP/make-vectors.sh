#!/usr/bin/env bash
# Writes LCPVectors.swift: certificates, licences and encrypted resources for the tests of protected books.
#
# The openssl tool makes the keys, the certificates, the signatures and the cipher text. Python pads, deflates, and sorts
# the members of the licences. No code of Carrel takes part, so the tests compare Carrel with another implementation.
# Each run makes new keys; everything else stays the same. Needs openssl 3.0 or later, and python3.
set -euo pipefail
cd "$(dirname "$0")"
output=$PWD/LCPVectors.swift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp make-vectors.py "$work/"
cd "$work"

# --- Certificates -----------------------------------------------------------------------------------------------------

cat > ca.cnf <<'END'
[ca]
default_ca = root
[root]
dir = .
database = $dir/$ENV::AUTHORITY.txt
serial = $dir/$ENV::AUTHORITY.serial
new_certs_dir = $dir
certificate = $dir/$ENV::AUTHORITY.pem
private_key = $dir/$ENV::AUTHORITY.key
default_md = sha256
policy = anything
unique_subject = no
crl_extensions = list
[anything]
organizationName = optional
commonName = supplied
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[intermediate]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[provider]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[list]
authorityKeyIdentifier = keyid
[unknown]
2.25.20260101 = critical, ASN1:UTF8String:A rule without a reader
END

key() {  # name, rsa or ec
    if [ "$2" = rsa ]; then
        openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$1.key"
    else
        openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"
    fi
}

authority() {  # name
    : > "$1.txt"
    echo 'unique_subject = no' > "$1.txt.attr"
    echo "$2" > "$1.serial"
}

certificate() {  # name, common name, authority or "self", start, end, extensions
    local request=(openssl ca -batch -notext -config ca.cnf -startdate "$4" -enddate "$5" -extensions "$6")
    AUTHORITY=none openssl req -new -utf8 -config ca.cnf -key "$1.key" -subj "/O=Carrel's tests/CN=$2" -out "$1.csr"
    if [ "$3" = self ]; then
        AUTHORITY=$1 "${request[@]}" -selfsign -keyfile "$1.key" -in "$1.csr" -out "$1.pem" 2> log || cat log >&2
    else
        AUTHORITY=$3 "${request[@]}" -in "$1.csr" -out "$1.pem" 2> log || cat log >&2
    fi
    [ -s "$1.pem" ]
}

list() {  # name, authority, last update, next update, extensions
    AUTHORITY=$2 openssl ca -config ca.cnf -gencrl -crl_lastupdate "$3" -crl_nextupdate "$4" -crlexts "${5:-list}" \
        -out "$1.pem" 2> log || cat log >&2
    [ -s "$1.pem" ]
}

key root rsa
authority root 1001
certificate root 'Root' self 20200101000000Z 20500101000000Z authority
# The same key and name, but no longer valid.
cp root.key shortRoot.key
authority shortRoot 2001
certificate shortRoot 'Root' self 20200101000000Z 20210101000000Z authority
key strangerRoot ec
authority strangerRoot 3001
certificate strangerRoot 'Another root' self 20200101000000Z 20500101000000Z authority

key rsa rsa
certificate rsa 'Bookseller with RSA' root 20200101000000Z 20500101000000Z provider
key ecdsa ec
certificate ecdsa 'Büchertisch with P-256' root 20200101000000Z 20500101000000Z provider
key expired ec
certificate expired 'Bookseller until 2021' root 20200101000000Z 20210101000000Z provider
key revoked ec
certificate revoked 'Bookseller whose key was lost' root 20200101000000Z 20500101000000Z provider
key stranger ec
certificate stranger 'Bookseller under another root' strangerRoot 20200101000000Z 20500101000000Z provider
key intermediate ec
authority intermediate 4001
certificate intermediate 'Intermediate' root 20200101000000Z 20500101000000Z intermediate
key below ec
certificate below 'Bookseller under an intermediate' intermediate 20200101000000Z 20500101000000Z provider
# By a provider, who may sign no certificates.
authority ecdsa 5001
key forged ec
certificate forged 'Bookseller by a bookseller' ecdsa 20200101000000Z 20500101000000Z provider

# An older list without any certificate, then the one with the revoked certificate.
list oldRevocationList root 20210101000000Z 20220101000000Z
AUTHORITY=root openssl ca -config ca.cnf -revoke revoked.pem -crl_reason keyCompromise 2> log || cat log >&2
list revocationList root 20260101000000Z 20500101000000Z
list strangerRevocationList strangerRoot 20260101000000Z 20500101000000Z
# By a certificate that may sign certificates and no lists.
list intermediateRevocationList intermediate 20260101000000Z 20500101000000Z
list unknownRevocationList root 20260101000000Z 20500101000000Z unknown

# --- Licences, keys and resources -------------------------------------------------------------------------------------

python3 make-vectors.py > "$output"
