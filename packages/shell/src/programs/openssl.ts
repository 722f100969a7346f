import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec, ParsedArguments } from "../arguments/program-spec.ts";
import { fixedWord } from "../parse/word.ts";
import { mentions } from "./word-helpers.ts";

// Engines and providers are libraries that it loads.
const common = `-help -in=read -out=write -inform= -outform= -passin= -passout= -noout -text -engine=execute
  -provider=execute -provider-path=execute -provparam=execute -propquery= -rand=read -writerand=write -config=execute`;

/** Options whose value is a key or certificate: a path, or a URI that a library opens. */
const stores =
  `-in -inkey -key -signkey -CA -CAkey -cert -certfile -signer -recip -sign -verify -prverify -untrusted
  -CAfile -content -peerkey -pubin -force_pubkey -issuer -respin`.split(/\s+/);

const isAddress = ({ text }: { readonly text: string }): boolean =>
  /^[a-z][a-z\d+.-]*:/i.test(text);

function check(parsed: ParsedArguments, record: Recorder): void {
  if (parsed.values(...stores).some((text) => isAddress({ text })))
    record.fail("it opens a key by URL");
  for (const source of parsed.values("-passin", "-passout", "-pass")) {
    const [, kind = "", value = ""] = /^(\w+):?(.*)$/s.exec(source) ?? [];
    if (kind === "file") record.path(fixedWord(value), "read");
    else if (kind === "env") record.effect("environment");
    else if (!/^(?:pass|stdin|fd)$/.test(kind))
      record.fail(`the password in ${source} is not known`);
  }
}

const command = (options: string, operands = "", effects = ""): ProgramSpec => ({
  effects,
  options: `${common} ${options}`,
  operands,
  style: "dash",
  check,
});

const digests = `-sha1 -sha224 -sha256 -sha384 -sha512 -sha512-256 -sha3-256 -sha3-384 -sha3-512 -md5 -blake2b512
  -blake2s256 -sm3 -ripemd160`;
const ciphers = `-aes128 -aes192 -aes256 -aes-128-cbc -aes-192-cbc -aes-256-cbc -aes-128-ctr -aes-256-ctr -aes-128-ecb
  -aes-256-ecb -camellia256 -des3 -chacha20`;

const digest = command(
  `${digests} -c -d -r -hex -binary -list -hmac= -mac= -macopt= -sign=read -verify=read -prverify=read -signature=read
  -keyform= -sigopt= -xoflen=`,
  "read*",
);

const client: ProgramSpec = {
  ...command(`-connect=host -host=host -port= -proxy=host -servername= -name= -4 -6 -showcerts -status -brief -quiet -prexit
    -state -debug -msg -tlsextdebug -crlf -ign_eof -no_ign_eof -tls1 -tls1_1 -tls1_2 -tls1_3 -no_tls1 -no_tls1_1 -no_tls1_2
    -no_tls1_3 -starttls= -alpn= -cipher= -ciphersuites= -curves= -sigalgs= -verify= -verify_return_error
    -verify_hostname= -CAfile=read -CApath=name -no-CAfile -no-CApath -cert=read -key=read -cert_chain=read
    -sess_in=read -sess_out=write -keylogfile=write -msgfile=write -early_data=read -servername= -timeout`),
  effects: "network",
  operands: "host",
};

const verification = (options: string): ProgramSpec => ({
  ...command(options, "read*"),
  check: (parsed, record) => {
    check(parsed, record);
    if (parsed.operands.some(isAddress)) record.fail("it opens a certificate by URL");
  },
});

/** A new key is written to a default file if none is named. */
const request = (options: string): ProgramSpec => ({
  ...command(options),
  check: (parsed, record) => {
    check(parsed, record);
    if (parsed.has("-new", "-newkey", "-x509") && !parsed.has("-key", "-keyout"))
      record.impliedPath("privkey.pem", "write");
  },
});

export const openssl: ProgramSpec = {
  style: "dash",
  subcommands: {
    "version|help|list|ciphers|errstr": {
      options: `-a -b -d -e -f -h -m -o -p -r -v -V -c -s -stdname -commands -digest-commands -cipher-commands
        -digest-algorithms -cipher-algorithms -public-key-algorithms -disabled -tls1_2 -tls1_3 -help`,
      operands: "text*",
      style: "dash",
    },
    rand: command("-hex -base64", "text"),
    prime: command("-hex -generate -bits= -safe -checks=", "text*"),
    "dgst|sha1|sha224|sha256|sha384|sha512|md5|blake2b512|sha3-256|sha3-512": digest,
    "enc|base64": command(
      `${ciphers} -e -d -a -A -base64 -p -P -salt -nosalt -pbkdf2 -nopad -none -v -K= -iv= -S= -k= -kfile=read -pass= -md=
      -iter= -bufsize=`,
    ),
    x509: command(
      `${digests} -pubkey -modulus -serial -subject -issuer -dates -startdate -enddate -fingerprint -hash -subject_hash
      -issuer_hash -email -ocsp_uri -ocspid -purpose -alias -nameopt= -certopt= -ext= -checkend= -checkhost= -checkemail=
      -checkip= -req -days= -set_serial= -CA=read!write -CAkey=read -CAserial=write -CAcreateserial!write -extfile=read
      -extensions= -signkey=read -key=read -trustout -copy_extensions=`,
    ),
    req: request(
      `${digests} -new -x509 -newkey= -nodes -noenc -key=read -keyout=write -days= -subj= -addext= -verify -pubkey -subject
      -modulus -keyform= -sigopt= -pkeyopt= -utf8 -batch -extensions= -reqexts= -nameopt= -set_serial=`,
    ),
    "pkey|rsa|ec|dsa|pkcs8": command(
      `${ciphers} -pubin -pubout -check -pubcheck -modulus -traditional -nocrypt -topk8 -v2= -conv_form= -param_enc=
      -param_out -no_public -text_pub -RSAPublicKey_in -RSAPublicKey_out`,
    ),
    "genrsa|genpkey|gendsa|ecparam": command(
      `${ciphers} -algorithm= -pkeyopt= -paramfile=read -genparam -name= -genkey -list_curves -check -param_enc= -primes= -2 -3
      -5 -F4 -f4 -quiet -verbose`,
      "text",
    ),
    "asn1parse|crl|pkcs7|spkac": command(
      `-i -dump -dlimit= -length= -offset= -strparse= -strictpem -print_certs -issuer -lastupdate -nextupdate -hash -print
      -CAfile=read`,
    ),
    verify: verification(
      `-CAfile=read -CApath=name -untrusted=read -trusted=read -partial_chain -verbose -purpose= -show_chain -crl_check
      -CRLfile=read -no-CAfile -no-CApath -x509_strict -verify_hostname= -nameopt=`,
    ),
    passwd: command(
      "-1 -5 -6 -apr1 -crypt -salt= -stdin -quiet -noverify -table -reverse",
      "text*",
    ),
    s_client: client,
    "s_server|s_time|ocsp|ts|cmp|tsget": mentions("network"),
    "ca|speed|dhparam|dsaparam|pkcs12|cms|smime|pkeyutl|rsautl|storeutl|srp|rehash|fipsinstall|engine|sess_id|nseq|info|kdf|mac|pkeyparam|crl2pkcs7":
      mentions("write"),
  },
};
