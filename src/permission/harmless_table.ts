import type { OptionSpec } from "./option_spec.ts";

/** A program that only reads and prints, with the options that are known to keep it so. */
export interface ReaderSpec extends OptionSpec {
  /**
   * True: none of the program's options, the ones that are not listed included, writes or runs anything. So a
   * word that only running the line would tell (`"$f"`, `*.ts`) is fine. A program with one such option is not
   * free: a file named `--pre=x` would make `*` into that option.
   */
  readonly free?: true;
  /** At most so many operands: one more is a file to write to, or a new value to set. */
  readonly operands?: number;
}

const HELP = "help version";

/** Options of the programs that compute sums. */
const SUMS: ReaderSpec = {
  free: true,
  flags: "bctwz",
  long: `${HELP} binary check tag text zero ignore-missing quiet status strict warn`,
};

const GREP: ReaderSpec = {
  free: true,
  flags: "EFGPiyvwxcLlqsbHhnTaIrRUzoZ",
  valued: "efmABCdD",
  number: true,
  long:
    `${HELP} extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case
    invert-match word-regexp line-regexp count color? colour? files-without-match files-with-matches max-count=
    only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab
    null after-context= before-context= context= text binary-files= devices= directories= exclude= exclude-from=
    exclude-dir= include= recursive dereference-recursive line-buffered null-data binary`,
};

/**
 * Not here, though they look harmless: `awk` (runs, writes), `less` and `man` (run a pager, a preprocessor),
 * `xxd` and `tee` (write), `yq` (`-i`), `fd` (`-x`), `go version`, `cargo --version`, `yarn --version` (may run
 * what a workspace's file names), `script`, `watch`, `tar -t` (`--to-command`), `unzip`, `curl`, `openssl`.
 */
export const READERS: Readonly<Record<string, ReaderSpec>> = {
  ls: {
    free: true,
    flags: "aAbBcCdDfFgGhHiIklLmnNopqQrRsStuUvxXZ1",
    valued: "TwI",
    long: `${HELP} all almost-all author escape block-size= ignore-backups color? directory dired classify?
      file-type format= full-time group-directories-first no-group human-readable si dereference-command-line
      dereference hide= hyperlink? indicator-style= inode ignore= kibibytes literal numeric-uid-gid
      hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size sort= time=
      time-style= tabsize= width= context zero`,
  },
  cat: {
    free: true,
    flags: "AbeEnstTuv",
    long: `${HELP} show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting`,
  },
  head: {
    free: true,
    flags: "qvz",
    valued: "nc",
    number: true,
    long: `${HELP} bytes= lines= quiet silent verbose zero-terminated`,
  },
  tail: {
    free: true,
    flags: "fFqvzr",
    valued: "ncs",
    number: true,
    long:
      `${HELP} bytes= lines= follow? pid= retry sleep-interval= max-unchanged-stats= quiet silent verbose zero-terminated`,
  },
  wc: {
    free: true,
    flags: "clmwL",
    long: `${HELP} bytes chars lines words max-line-length total= files0-from=`,
  },
  nl: {
    free: true,
    flags: "p",
    valued: "bdfhilnsvw",
    long:
      `${HELP} body-numbering= header-numbering= footer-numbering= line-increment= number-format= number-width=`,
  },
  cut: {
    free: true,
    flags: "nsz",
    valued: "bcdf",
    long:
      `${HELP} bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated`,
  },
  tr: { free: true, flags: "cCdst", long: `${HELP} complement delete squeeze-repeats truncate-set1` },
  paste: { free: true, flags: "sz", valued: "d", long: `${HELP} delimiters= serial zero-terminated` },
  comm: {
    free: true,
    flags: "123iz",
    long: `${HELP} check-order nocheck-order output-delimiter= total zero-terminated`,
  },
  join: {
    free: true,
    flags: "iz",
    valued: "aeojtv12",
    long: `${HELP} ignore-case check-order nocheck-order header`,
  },
  fold: { free: true, flags: "bs", valued: "w", long: `${HELP} bytes spaces width=` },
  fmt: { free: true, flags: "cstu", valued: "wgp", long: `${HELP} width= split-only uniform-spacing` },
  expand: { free: true, flags: "i", valued: "t", long: `${HELP} initial tabs=` },
  unexpand: { free: true, flags: "a", valued: "t", long: `${HELP} all first-only tabs=` },
  rev: { free: true },
  tac: { free: true, flags: "br", valued: "s", long: `${HELP} before regex separator=` },
  column: {
    free: true,
    flags: "txen",
    valued: "scoNRHTdl",
    long: `${HELP} table separator= output-separator= columns=`,
  },
  od: {
    free: true,
    flags: "abcdDfFhHiIlLoOsvxX",
    valued: "AjNStw",
    long: `${HELP} address-radix= skip-bytes= read-bytes= format= output-duplicates`,
  },
  hexdump: { free: true, flags: "bcCdovx", valued: "efns" },
  strings: {
    free: true,
    flags: "afow",
    valued: "nteT",
    number: true,
    long: `${HELP} all bytes= radix= encoding=`,
  },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha224sum: SUMS,
  sha256sum: SUMS,
  sha384sum: SUMS,
  sha512sum: SUMS,
  b2sum: SUMS,
  cksum: { ...SUMS, valued: "a", long: `${SUMS.long} algorithm=` },
  base64: { free: true, flags: "di", valued: "w", long: `${HELP} decode ignore-garbage wrap=` },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    // --pre, --pre-glob, --hostname-bin and -z start programs; --debug and --stats only print.
    flags: "acFiIlLnNoPpqsSUuvVwx0Hhb.",
    valued: "efgjmABCEtTMrd",
    long: `${HELP} after-context= before-context= context= color= colors= column count count-matches crlf
      case-sensitive ignore-case smart-case fixed-strings regexp= file= files files-with-matches
      files-without-match follow glob= iglob= glob-case-insensitive heading no-heading hidden no-hidden
      ignore-file= invert-match json line-number no-line-number line-regexp max-columns= max-columns-preview
      max-count= max-depth= max-filesize= multiline multiline-dotall no-config no-filename with-filename
      no-ignore no-ignore-vcs no-ignore-parent no-ignore-global no-messages null null-data only-matching pcre2
      passthru pretty quiet replace= sort= sortr= stats text threads= trim type= type-not= type-list
      unrestricted vimgrep word-regexp encoding= engine= no-unicode`,
  },
  stat: {
    free: true,
    flags: "Lft",
    valued: "c",
    long: `${HELP} dereference file-system format= printf= terse cached=`,
  },
  file: {
    flags: "bikLhrsN0",
    long: `${HELP} brief mime mime-type mime-encoding keep-going dereference no-dereference raw`,
  },
  du: {
    free: true,
    flags: "0aAbcDhHkLlmPsSx",
    valued: "dBtX",
    long:
      `${HELP} null all apparent-size block-size= bytes total dereference-args max-depth= human-readable inodes
      kilobytes dereference count-links separate-dirs si summarize threshold= time? time-style= exclude=
      exclude-from= one-file-system`,
  },
  df: {
    free: true,
    flags: "ahHiklPTv",
    valued: "Btx",
    long: `${HELP} all block-size= human-readable si inodes local no-sync output? portability sync total type=
      print-type exclude-type=`,
  },
  basename: { free: true, flags: "az", valued: "s", long: `${HELP} multiple suffix= zero` },
  dirname: { free: true, flags: "z", long: `${HELP} zero` },
  realpath: {
    free: true,
    flags: "emLPqsz",
    long:
      `${HELP} canonicalize-existing canonicalize-missing logical physical quiet relative-to= relative-base=
      strip no-symlinks zero`,
  },
  readlink: {
    free: true,
    flags: "femnqsvz",
    long:
      `${HELP} canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero`,
  },
  cmp: {
    free: true,
    flags: "bls",
    valued: "in",
    long: `${HELP} print-bytes ignore-initial= verbose bytes= quiet silent`,
  },
  diff: {
    // -l runs `pr`.
    flags: "qsacbBdeEiNnprtTuwyZ",
    valued: "CDFIILSUWx",
    number: true,
    long: `${HELP} brief report-identical-files context? unified? ed rcs side-by-side width= left-column
      suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab recursive
      no-dereference new-file unidirectional-new-file ignore-file-name-case exclude= exclude-from=
      starting-file= from-file= to-file= ignore-case ignore-tab-expansion ignore-trailing-space
      ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr
      minimal horizon-lines= speed-large-files color? palette= normal`,
  },
  // A second operand of `uniq` is the file that it writes.
  uniq: {
    flags: "cdDiuz",
    valued: "fsw",
    operands: 1,
    long:
      `${HELP} count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique zero-terminated
      check-chars=`,
  },
  // Without -o, -T, --compress-program.
  sort: {
    flags: "bdfgiMhnRrVcCmsuz",
    valued: "ktS",
    long: `${HELP} ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting
      month-sort human-numeric-sort numeric-sort random-sort reverse sort= version-sort check? key= merge
      stable unique zero-terminated field-separator= buffer-size= parallel= debug`,
  },
  // Without -o, and -R, which writes when joined with -H.
  tree: {
    flags: "adflxiqNQpugshDFrtcUvnCAS",
    valued: "LPI",
    long: `${HELP} dirsfirst filesfirst filelimit= gitignore noreport prune matchdirs ignore-case du si inodes
      device sort=`,
  },
  jq: {
    flags: "nrjacCMsSe",
    long: `${HELP} null-input raw-input slurp compact-output raw-output join-output ascii-output sort-keys
      color-output monochrome-output tab indent= exit-status`,
  },
  ps: {
    free: true,
    flags: "aAdefFHjlLMNTwxyZcm",
    valued: "CgGopqstuU",
    long: `${HELP} forest sort= format= pid= ppid= no-headers user=`,
  },
  uname: {
    free: true,
    flags: "asnrvmpio",
    long: `${HELP} all kernel-name nodename kernel-release machine operating-system`,
  },
  arch: { free: true, long: HELP },
  nproc: { free: true, long: `${HELP} all ignore=` },
  whoami: { free: true, long: HELP },
  id: { free: true, flags: "agGnruzZ", long: `${HELP} group groups name real user zero context` },
  groups: { free: true, long: HELP },
  uptime: { free: true, flags: "ps", long: `${HELP} pretty since` },
  free: { free: true, flags: "bkmghltwv", valued: "sc", long: `${HELP} human total wide` },
  printenv: { free: true, flags: "0", long: `${HELP} null` },
  seq: { free: true, flags: "w", valued: "fs", number: true, long: `${HELP} format= separator= equal-width` },
  expr: { free: true, long: HELP },
  which: { free: true, flags: "as" },
  // An operand sets the host's name.
  hostname: { flags: "AdfiIsy", operands: 0, long: `${HELP} fqdn long short ip-address all-ip-addresses` },
  env: { flags: "0", operands: 0, long: `${HELP} null` },
  sleep: { free: true, long: HELP },
  tty: { free: true, flags: "s" },

  // Builtins of bash; what they change ends with the line.
  pwd: { free: true, flags: "LP" },
  cd: { free: true, flags: "LPe", operands: 1 },
  true: { free: true },
  false: { free: true },
  ":": { free: true },
  type: { free: true, flags: "afptP" },
  command: { free: true, flags: "vV" },
  exit: { operands: 1 },
  return: { operands: 1 },
  break: { operands: 1 },
  continue: { operands: 1 },
  shift: { operands: 1 },
  exec: { operands: 0 },
  // What these may set was judged when the line was read: plain variables of the shell alone.
  read: { flags: "res", valued: "dntN" },
  set: { flags: "euxo", operands: 1 },
  unset: { flags: "v" },
};
