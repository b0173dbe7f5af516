# SPDX-License-Identifier: MIT
# awk -f scripts/kernels.awk SETTINGS: the table of kernels, and an explicit rule for each of their objects.
#
# A kernel is built for every {compiler, ISA, policy} in fp32, unless its file has a line
#   // build: isas=avx2,avx512 policies=off,fast stored=bf16,f16 stored_policies=off needs=eigen same=softmax_invariant
# with any of these keys. needs: a library, without which it is skipped (scripts/kernels.mk). same: its text is that
# kernel's, under another algorithm's name. A file NAME.TYPE.c is a kernel of that type alone.
#
# SETTINGS has what make knows, a variable a line (scripts/kernels.mk). This writes into the folder BUILD:
#   kernels.mk     the rules (of settings.ID: kernels.mk.ID)
#   kernels.table  the objects that there could be; separated by tabs, OBJECT USE, and of an object that is not
#                  compiled: ALGORITHM (of same=, else -), FROM (the object that it copies, or why it is skipped)
#                  and COMMAND, which begins with -DKERNEL= where the flags are those of FROM
#   wanted.list    the objects that are asked for
#   obj/CC/ISA/POLICY/flags, kernels/NAME  what an object depends on besides its files: the flags of its regime, and
#                  what else its kernel is built from
# It prints `made`, or `error` and what is wrong.
#
# Policies that mean the same to a compiler are compiled once (scripts/compiler-options asks it), and so is a text that
# two kernels share. Contraction does not count for a kernel of the lab that writes its arithmetic out, and so leaves
# nothing to fuse; its command is the policy's own all the same. `make distinct` compiles all and compares.

function fail(why) { print "error " why; exit 1 }

# ---- Words and files -----------------------------------------------------------------------------
function has(list, word) { return index(" " list " ", " " word " ") > 0 }
function first(list) { sub(/ .*/, "", list); return list }
function joined(list, word) { return list == "" || word == "" ? list word : list " " word }
# Returns whether a word is one of these, in which % stands for any letters.
function matches(word, patterns,   i, n, each, at, tail) {
    n = split(patterns, each, " ")
    for (i = 1; i <= n; i++) {
        at = index(each[i], "%")
        tail = substr(each[i], at + 1)
        if (at ? length(word) > length(each[i]) - 2 && substr(word, 1, at - 1) == substr(each[i], 1, at - 1) && \
            substr(word, length(word) - length(tail) + 1) == tail : word == each[i]) return 1
    }
    return 0
}
# Returns the words of a list that are in another one, or (out=1) are not.
function filter(list, other, out,   i, n, each, kept) {
    n = split(list, each, " ")
    for (i = 1; i <= n; i++) if (has(other, each[i]) != out) kept = joined(kept, each[i])
    return kept
}
function prefixed(prefix, list,   i, n, each, out) {
    n = split(list, each, " ")
    for (i = 1; i <= n; i++) out = out " " prefix each[i]
    return out
}
function base_name(path) { sub(/.*\//, "", path); sub(/\.cc?$/, "", path); return path }
function escaped(text) { gsub(/\$/, "$$", text); return text }
# Writes lines unless the file has them already, so that what depends on it is rebuilt only if they change.
function keep_lines(path, lines, n,   i, line) {
    while ((getline line <path) > 0 && line == lines[i + 1]) i++
    if (i == n && n && (getline line <path) <= 0) { close(path); return }
    close(path)
    printf "" >path
    for (i = 1; i <= n; i++) print lines[i] >path
    close(path)
}
function keep(path, line,   lines) { lines[1] = line; keep_lines(path, lines, 1) }

# ---- What make knows -----------------------------------------------------------------------------
function read_settings(   at) {
    while ((getline <ARGV[1]) > 0) {
        gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "")
        at = index($0 " ", " ")
        if ($0 != "") set[substr($0, 1, at - 1)] = substr($0, at + 1)
    }
    close(ARGV[1])
    build = set["BUILD"]; ccs = set["CCS"]; isas = set["ISAS"]; policies = set["POLICIES"]
    wrong = first(filter(policies, set["known.policy"], 1))
    if (wrong != "") fail("policy '" wrong "' is unknown; name its flags: make policy." wrong "=\"-f...\"")
    wrong = first(filter(isas, set["known.isa"], 1))
    if (wrong != "") fail("ISA '" wrong "' is unknown; known: " set["known.isa"])
    if (filter(set["SCOPE"], "all here tests elsewhere usual asked", 1) != "")
        fail("SCOPE=" set["SCOPE"] ": want all, here, tests, elsewhere, usual or asked")
}

# ---- Kernel files --------------------------------------------------------------------------------
# Reads the line `// build:` of a file into says[KERNEL, KEY].
function read_restrictions(file, name, where, line,   words, word, i, k, n, at, key, values, part, wrong) {
    where = file ":" where ": // build: "
    sub(/^[^:]*:/, "", line); sub(/\r$/, "", line)
    words = split(line, word, " ")
    if (!words) fail(where "says nothing; write KEY=VALUE,VALUE, with KEY one of " keys)
    for (i = 1; i <= words; i++) {
        at = index(word[i], "=")
        key = substr(word[i], 1, at - 1)
        values = substr(word[i], at + 1)
        if (!at || values == "") fail(where "\"" word[i] "\": write KEY=VALUE,VALUE without spaces around = and ,")
        if (!has(keys, key ",") && key != "same") fail(where "no key \"" key "\"; the keys are " keys)
        if ((name, key) in says) fail(where "\"" key "\" stands there twice; name all its values once")
        n = split(values, part, ",")
        if (key == "same") {
            wrong = file
            sub(/[^\/]*$/, values ".c", wrong)
            if ((getline <wrong) < 0) fail(where "same=" values ": no file " wrong)
            close(wrong); n = 0
        }
        for (k = 1; k <= n; k++)
            if (part[k] == "" || !has(known[key], part[k]))
                fail(where key "=" part[k] ": there is no \"" part[k] "\"; known are: " known[key])
        gsub(/,/, " ", values)
        says[name, key] = values
    }
}
function read_kernel(file,   name, line, number, got) {
    name = base_name(file)
    if (name in source) return
    source[name] = file
    while ((got = (getline line <file)) > 0) {
        number++
        if (line ~ /ARITHMETIC_EXPLICIT|"correct_unary.h"/) explicit[name] = 1
        if (line ~ /^[ \t]*\/\/[ \t]*[Bb]uild[ \t]*:/) read_restrictions(file, name, number, line)
        if ((name in is_user) && line ~ /(^|[^A-Za-z0-9_])REFERENCE([^A-Za-z0-9_]|$)/) has_reference[name] = 1
    }
    close(file)
    if (got < 0) fail("KERNELS: no file " file "; name .c or .cc files")
    if (name ~ /\./) typed = joined(typed, name)
    else plain = joined(plain, name)
}
# Users' kernels: mistakes in their names can be found before a compiler does.
function read_users(   n, i, file, files) {
    n = split(set["KERNELS"], files, " ")
    for (i = 1; i <= n; i++) {
        is_named[base_name(files[i])] = 1
        if (files[i] ~ /^simd\//) continue
        file = files[i]
        sub(/.*\//, "", file)
        if (file !~ /^[A-Za-z0-9_-]+\.cc?$/)
            fail("KERNELS: " file ": want a name of letters, digits, _ and - that ends in .c or .cc")
        if (has(set["lab_files"], file) || (file in seen))
            fail("KERNELS: " file ": a kernel file of that name is there already; rename yours")
        seen[file] = is_user[base_name(file)] = 1
    }
}
# Sets the axes of one kernel: isas_of, policies_of and needs of NAME, and of NAME.TYPE in which it is stored.
function restrict(name,   i, n, each, named, key, only) {
    n = split(set["named_isas"], each, " ")
    for (i = 1; i <= n; i++) if (has(set["named_for." each[i]], name)) named = joined(named, each[i])
    isas_of[name] = says[name, "isas"]
    policies_of[name] = says[name, "policies"]
    if (name !~ /\./ && isas_of[name] policies_of[name] named != "") restricted = joined(restricted, name)
    if (name == "probe") isas_of[name] = isas
    if (isas_of[name] == "") isas_of[name] = joined(filter(isas, set["named_isas"], 1), named)
    if (policies_of[name] == "") policies_of[name] = policies
    needs[name] = says[name, "needs"]
    n = split(says[name, "stored"], each, " ")
    for (i = 1; i <= n; i++) {
        key = name "." each[i]
        stored = joined(stored, key)
        isas_of[key] = isas_of[name]
        needs[key] = needs[name]
        only = set["STORED_POLICIES"]
        if (says[name, "stored_policies"] != "") only = filter(says[name, "stored_policies"], only)
        policies_of[key] = filter(policies_of[name], has(set["own_types"], each[i]) ? policies : only)
    }
}
function read_kernels(   n, i, each, name) {
    keys = "isas, policies, stored, stored_policies, needs, same"
    known["isas"] = set["known.isa"]; known["policies"] = known["stored_policies"] = set["known.policy"]
    known["stored"] = set["stored_types"]; known["needs"] = set["known.package"]
    read_users()
    n = split(set["kernel_sources"], each, " ")
    for (i = 1; i <= n; i++) read_kernel(each[i])
    source["probe"] = "simd/probe.c"
    n = split(joined(plain = joined(plain, "probe"), typed), each, " ")
    for (i = 1; i <= n; i++) restrict(each[i])
    # `flags` and `try` choose the kernels, and what they are built for, themselves.
    if ("kernel_names" in set) plain = set["kernel_names"]
    stored = "stored_names" in set ? set["stored_names"] : joined(stored, typed)
    kernel_count = split(joined(plain, stored), kernel, " ")
    for (i = 1; i <= kernel_count; i++) {
        name = kernel[i]
        is_kernel[name] = 1
        place_of[name] = i
        if (("isas_of." name) in set) isas_of[name] = set["isas_of." name]
        if (("policies_of." name) in set) policies_of[name] = set["policies_of." name]
        type[name] = name ~ /\./ ? substr(name, index(name, ".") + 1) : "f32"
        vectors[name] = vectors_of(type[name])
        base[name] = first(name " ")
        sub(/\..*/, "", base[name])
        file_of[name] = name in source ? source[name] : source[base[name]]
        if (file_of[name] == "") fail("no file of the kernel " name)
    }
}
# A type with vectors of its own has its own vocabulary, which comes first in any case, since it says what words mean
# (in double `float` is a macro, so that the files that exist in both types need no name for a lane's type:
# docs/architecture.md); others have fp32's.
function vectors_of(type) { return has(set["own_types"], type) ? "." type : "" }

# ---- What is asked for, and what `make run` measures -----------------------------------------------
# An ISA can run here if the CPU has all features that its flags name.
function find_isas_here(   line, cpu, i, k, n, m, each, flag) {
    while ((getline line <"/proc/cpuinfo") > 0 && line !~ /^flags/);
    close("/proc/cpuinfo")
    gsub(/_/, "", line); sub(/ sse42 /, " sse4.2 ", line)
    n = split(isas, each, " ")
    for (i = 1; i <= n; i++) {
        m = split(set["isa." each[i]], flag, " ")
        for (k = 1; k <= m && (flag[k] !~ /^-m/ || flag[k] ~ /^-mtune=/ || has(line, substr(flag[k], 3))); k++);
        if (k > m) here_isas = joined(here_isas, each[i])
    }
    if (has(set["SCOPE"], "usual")) here_isas = filter(isas, set["named_isas"], 1)
    run_isas = has(set["named_axes"], "ISAS") ? here_isas : filter(here_isas, set["run_but"], 1)
}
function find_run(   i, n, name, line, part, is_run, files, patterns, each) {
    find_isas_here()
    first_policy = has(policies, "off") ? "off" : first(policies)
    for (i = split(policies " " ccs, each, " "); i; i--) place_of[each[i]] = i
    for (i = 1; i <= kernel_count; i++) {
        name = kernel[i]
        if (base[name] in is_named) runs[name] = runs_scalar[name] = 1
        part = name
        sub(/_.*/, "", part)
        if (!has(set["run_ops"], part) || name == "probe") continue
        is_run = type[name] == "f32" ? needs[name] == "" && !matches(name, set["run_not"]) : \
            matches(name, set["run_f64"] " " set["run_f64_libraries"])
        if (is_run) runs[name] = 1
        if (is_run && matches(name, set["run_scalar"])) runs_scalar[name] = 1
    }
    # The kernels of suite 1, by file, and those that case studies name in a line `// kernels:`.
    while ((getline line <"src/model/suite.c") > 0)
        while (match(line, /[a-z0-9_]*\/[a-z0-9]+[ "]/)) {
            split(substr(line, RSTART, RLENGTH - 1), part_of, "/")
            is_of_suite[part_of[1] "_" part_of[2]] = 1
            line = substr(line, RSTART + RLENGTH)
        }
    close("src/model/suite.c")
    n = split(set["run_cases"], files, " ")
    for (i = 1; i <= n; i++) {
        while ((getline line <("src/cases/" files[i] ".c")) > 0)
            if (sub(/^\/\/ kernels: /, "", line)) patterns = patterns " " line
        close("src/cases/" files[i] ".c")
    }
    for (i = 1; i <= kernel_count; i++) if (matches(kernel[i], patterns)) is_of_case[kernel[i]] = 1
    n = split(set["asked"], files, " ")
    for (i = 1; i <= n; i++) is_asked[files[i]] = 1
    asks_here = ("here" in is_asked) || ("tests" in is_asked)
    asked_patterns = set["asked"]
    gsub(/[^ %]*( |$)/, "", asked_patterns) # what has no % is in is_asked[]
}
# Returns the use of a kernel in a run that asks for nothing in particular, in the regime at hand.
function use_of(name,   asks) {
    if (!has(set["run_ccs"], cc) || !has(run_isas, isa)) return "-"
    if (isa == "scalar" ? (name in runs_scalar) : (name in runs)) {
        if (name in explicit) asks = policy == first_policy
        else if (matches(name, set["run_f64_libraries"])) asks = policy == first_policy && cc == first(set["run_ccs"])
        else asks = name !~ /\.f64$/ || has(set["run_f64_under"], policy)
        if (asks) return "measured"
    }
    return name == "probe" || (name in is_of_case) || (policy == "off" && (name in is_of_suite)) ? "support" : "-"
}
# Returns whether tests need an object, which stands for those that copy it: all under the first policy, and by each
# compiler under each other policy every kernel for one ISA. The ISAs take turns.
function is_for_tests(name, policy,   n, each) {
    if (name == "probe" || policy == first_policy || has(set["named_by_tests"], name)) return 1
    n = split(filter(isas_of[name], here_isas), each, " ")
    return each[(place_of[name] + place_of[policy] + place_of[cc]) % n + 1] == isa
}
function is_wanted(object, name, use) {
    if (("all" in is_asked) || (object in is_asked) || (("usual" in is_asked) && use != "-")) return 1
    if (asked_patterns != "" && matches(object, asked_patterns)) return 1
    if (has(here_isas, isa))
        return ("here" in is_asked) || (asks_here && (use == "support" || is_for_tests(twin_name, twin_policy)))
    return ("elsewhere" in is_asked) && has(set["run_ccs"], cc) && policy == first_policy && type[name] == "f32"
}

# ---- Regimes -------------------------------------------------------------------------------------
function folder_name(text) { gsub(/\//, "_", text); gsub(/\+/, "x", text); return text }
function symbol_of(text) { text = folder_name(text); gsub(/[-.]/, "_", text); return text }
function folder_of(policy) { return build "/obj/" folder_name(cc) "/" isa "/" policy }
function is_clang() { return cc ~ /clang/ }
# alone.POLICY=yes: its kernels are compiled with the policy's flags and their own, and nothing else.
function compiler_under(policy,   lab) {
    lab = set["common"] prefixed("", set["defaults." cc]) " " set["OPTIMISE"] " " set["isa." isa]
    return cc " " (set["alone." policy] != "" ? "-Iinclude" : lab) " " set["policy." policy]
}
function includes(type) { return set["includes." isa "." type] }
# What the flags of a regime mean to its compiler is asked once, and kept with what else is known of compilers: two
# texts, the second without contraction. It is asked only where the scope asks for objects.
function meaning_key(policy,   text) {
    text = compiler_under(policy) " " set["sanitize"] " # " set["identity." cc]
    sub(/ -frecord-gcc-switches/, "", text)
    gsub(/  +/, " ", text)
    return text
}
function read_meanings(file,   line, part) {
    while ((getline line <file) > 0) {
        split(line, part, " ")
        known_meaning[substr(line, length(part[1] part[2]) + 3)] = part[1] " " part[2]
    }
    close(file)
}
function find_meanings(   file, i, key, ask, lacks_some, each, part) {
    split("", meaning)
    if (set["DISTINCT"] == "0" || policies !~ / /) return
    if (!("all" in is_asked) && !("usual" in is_asked) && !(asks_here && has(here_isas, isa)) && \
        index(set["asked"], "/obj/" folder_name(cc) "/" isa "/") == 0 && asked_patterns == "") return
    file = set["LAB"] "/compilers/meanings"
    if (!meanings_read++) {
        if (system("mkdir -p " set["LAB"] "/compilers && [ " file " -nt scripts/compiler-options ]") != 0)
            printf "" >file
        read_meanings(file)
    }
    ask = "xargs -d '\\n' -n 1 -P $(nproc) scripts/compiler-options " file
    for (i = split(policies, each, " "); i; i--) {
        key = meaning_key(each[i])
        if (key in known_meaning) continue
        print key | ask
        lacks_some = 1
    }
    if (lacks_some) { close(ask); read_meanings(file) }
    for (i = split(policies, each, " "); i; i--) {
        split(known_meaning[meaning_key(each[i])], part, " ")
        meaning[each[i], 0] = part[1]
        meaning[each[i], 1] = part[2]
    }
}
# Returns whether two policies mean the same, (but=1) but for contraction.
function mean_the_same(a, b, but) { return meaning[a, but] !~ /^-?$/ && meaning[a, but] == meaning[b, but] }
function is_built(name, policy) {
    return has(isas_of[name], isa) && has(policies_of[name], policy) && \
        (set["ccs." policy] == "" || has(set["ccs." policy], cc))
}
# Parsing the vocabulary takes most of a small kernel's compile time, so it is precompiled in each regime that has at
# least three kernels of simd/, all of which include it; a user's kernel is compiled without it.
function find_headers(   i, name, count) {
    split("", header)
    for (i = 1; i <= kernel_count; i++) {
        name = kernel[i]
        if ((name in is_user) || !is_built(name, policy) || (vectors[name] == "" && type[name] != "f32")) continue
        if (++count[vectors[name]] == 3) header[vectors[name]] = folder "/pre" vectors[name] ".h"
    }
}
function first_include(vectors) {
    if (vectors in header) return is_clang() ? "-include-pch " header[vectors] ".gch" : "-include " header[vectors]
    return vectors == "" ? "" : "-include vec.h"
}
function put_header(vectors, type,   gch, i, n, each, twin) {
    if (!(vectors in header)) return
    gch = header[vectors] ".gch"
    keep(header[vectors], "#include \"vec.h\"")
    n = split(policies, each, " ")
    for (i = 1; i <= n && each[i] != policy && twin == ""; i++) {
        twin = folder_of(each[i]) "/pre" vectors ".h.gch"
        if (!(twin in is_header) || !mean_the_same(each[i], policy, 0)) twin = ""
    }
    is_header[gch] = 1
    print gch ": " header[vectors] " " folder "/flags simd/vocabulary/" isa "/vec.h |" prefixed("", twin) "\n" \
        "\t@$(step)scripts/precompile $@ '" escaped(compiler_under(policy) " " includes(type) " " set["sanitize"]) "'" \
        prefixed("", twin) >rules
}

# ---- Objects -------------------------------------------------------------------------------------
# What a user's kernel NAME.c needs besides: flags.NAME (-I, -D), also.NAME (other files of its program: sources,
# objects, archives), link.NAME (-l, -L), stubs.NAME=yes (what nobody defines is bound to a function that names it when
# it is called). The policy's flags stand behind its own, too: -fno-associative-math would take back what the policy is
# about.
function own_flags(name,   own, of_policy) {
    own = set["flags." base[name]]
    of_policy = filter(own, set["policy." policy], 1) != "" ? set["policy." policy] : ""
    return own == "" ? "" : " " joined(own, of_policy)
}
function archive_of(name) { return set["file." needs[name]] ~ /\.a$/ ? set["file." needs[name]] : "" }
function parts_of(name) {
    return prefixed("also=", joined(set["also." base[name]], archive_of(name))) \
        prefixed("link=", set["link." base[name]]) (set["stubs." base[name]] != "" ? " stubs=yes" : "")
}
# The flags of an object. -fno-gnu-unique: a symbol that is unique in the whole program could not be made local to the
# object. A user's kernel may use exceptions, and link libstdc++.
function is_cxx(name) { return file_of[name] ~ /\.cc$/ }
function has_header(name) { return (vectors[name] in header) && !is_cxx(name) && !(base[name] in is_user) }
function flags_of(name,   compiler, rest) {
    compiler = compiler_under(policy)
    if (!is_cxx(name)) rest = base[name] in is_user ? "" : first_include(vectors[name])
    else {
        gsub(/ -std=[^ ]*/, "", compiler); gsub(/  +/, " ", compiler); sub(/ $/, "", compiler)
        rest = "-x c++ -std=gnu++17 -Wno-extra -Wno-missing-field-initializers " (is_clang() ? "" : "-fno-gnu-unique") \
            (base[name] in is_user ? "" : " -fno-exceptions -fno-rtti")
    }
    return compiler " " includes(type[name]) " " set["sanitize"] " " rest own_flags(name)
}
function define_of(name,   suffix) {
    suffix = type[name] == "f32" ? "" : "." type[name]
    return "-DKERNEL=kernel_" symbol_of(cc "_" isa "_" policy suffix "_" base[name])
}
function lacks(name) { return needs[name] != "" && !has(set["there"], set["file." needs[name]]) }
# Only a kernel of the lab may leave nothing to fuse.
function is_written_out(name) { return (name in explicit) && !(base[name] in is_user) }
# Sets twin_name and twin_policy to what this kernel would be a copy of, and returns whether there is such. A probe is
# always compiled: it shows what the policies of its regime mean (tests/test_registry.c).
function has_twin(name, policy,   i, n, each) {
    if (set["DISTINCT"] == "0" || name == "probe" || lacks(name)) return 0
    twin_name = says[name, "same"]
    twin_policy = policy
    if ((twin_name in is_kernel) && is_built(twin_name, policy)) return 1
    twin_name = name
    n = split(policies, each, " ")
    for (i = 1; i <= n && each[i] != policy; i++) {
        twin_policy = each[i]
        if (mean_the_same(twin_policy, policy, is_written_out(name)) && is_built(name, twin_policy)) return 1
    }
    return 0
}
# Returns the object that is compiled for a kernel in the regime at hand: its own, or the one that it copies. It is of
# twin_name and twin_policy.
function origin_of(name,   of_policy) {
    for (of_policy = policy; has_twin(name, of_policy); of_policy = twin_policy) name = twin_name
    twin_name = name
    twin_policy = of_policy
    return folder_of(of_policy) "/" name ".o"
}
function put_object(name,   object, origin, tail, use, row, missing, at) {
    object = folder "/" name ".o"
    origin = origin_of(name)
    missing = lacks(name)
    use = use_of(name)
    tail = define_of(name) " -MMD -MP -c " file_of[name] " -o " object
    if (is_wanted(object, name, use)) {
        wanted[++wanted_count] = object
        if (!missing && !(origin in is_made)) is_made[objects[++object_count] = origin] = 1
    }
    row = object "\t" use
    if (missing) {
        at = "installer." needs[name]
        row = row "\t-\tskipped: needs " set["package." needs[name]] "; '" (at in set ? set[at] : "make peers") \
            "' installs it\t" flags_of(name) " " tail
    } else if (origin != object) {
        row = row "\t" (says[name, "same"] != "" ? substr(name, index(name, "_") + 1) : "-") "\t" origin "\t" \
            (is_written_out(name) ? flags_of(name) " " : "") tail
        print object ": " origin >rules
        twins[++twin_count] = object
    } else
        print object ": " file_of[name] " " build "/kernels/" base_name(file_of[name]) " " folder "/flags" \
            (has_header(name) ? " " header[vectors[name]] ".gch" : "") \
            prefixed("", joined(archive_of(name), filter(set["also." base[name]], set["there"]))) "\n" \
            "\t@$(step)scripts/compile-kernel $@ $< '" escaped(flags_of(name)) "' " define_of(name) \
            parts_of(name) >rules
    table[++table_count] = row
}
function put_regime(   i, n, own, each) {
    folder = folder_of(policy)
    for (i = 1; i <= kernel_count && !is_built(kernel[i], policy); i++);
    if (i > kernel_count) return
    find_headers()
    print "\n# " cc ", " isa ", " policy >rules
    own = compiler_under(policy) " " includes("f32") " " set["sanitize"]
    n = split("f32 " set["own_types"], each, " ")
    for (i = 1; i <= n; i++) own = own " " first_include(vectors_of(each[i]))
    keep(folder "/flags", own " # " set["version." cc] " " set["identity." cc] (set["DISTINCT"] == "0" ? " each" : ""))
    for (i = 1; i <= n; i++) put_header(vectors_of(each[i]), each[i])
    for (i = 1; i <= kernel_count; i++) if (is_built(kernel[i], policy)) put_object(kernel[i])
}
# What a kernel's objects depend on besides their regime: another file of the same name, other flags or parts, or a
# library that has come or gone, make them anew. A user's kernel file may contain a reference, for which it is compiled
# once more, strictly. The text behind #ifdef REFERENCE is C, also in a C++ file. It has its own arithmetic: of the
# kernel's flags it gets headers and macros alone.
function put_kernel(name,   text, own, i, n, each, object) {
    text = source[name] " " needs[name] (lacks(name) ? " is not there" : "")
    own = set["reference_flags." name]
    if (name in is_user) text = text " " set["flags." name] " " own parts_of(name) " " set["search_paths"]
    keep(build "/kernels/" name, text)
    if (!(name in has_reference)) return
    n = own == "" ? split(set["flags." name], each, " ") : 0
    for (i = 1; i <= n; i++) if (each[i] !~ /^(-[mfO]|@)/) own = joined(own, each[i])
    object = build "/reference/" name ".o"
    references = references " " object
    print object ": " source[name] " " build "/kernels/" name " include/kernel_reference.h Makefile\n" \
        "\t@$(step)scripts/compile-kernel $@ $< '" escaped(set["reference"] " -x c" prefixed("", own)) \
        "' -DREFERENCE=reference_" symbol_of(name) >rules
}
function put_list(name, list, n,   i) {
    printf "%s :=", name >rules
    for (i = 1; i <= n; i++) printf " \\\n    %s", list[i] >rules
    print "" >rules
}
function put_all(   i, k, p, n, m, l, each_cc, each_isa, each, folders) {
    rules = ARGV[1]
    sub(/.*\/settings/, build "/kernels.mk", rules)
    n = split(ccs, each_cc, " "); m = split(isas, each_isa, " "); l = split(policies, each, " ")
    for (i = 1; i <= n; i++) for (k = 1; k <= m; k++)
        folders = folders prefixed(build "/obj/" folder_name(each_cc[i]) "/" each_isa[k] "/", policies)
    system("mkdir -p " build "/kernels" folders)
    print "# Written by scripts/kernels.awk: an explicit rule for each object that is compiled." >rules
    for (i = 1; i <= n; i++) for (k = 1; k <= m; k++) {
        cc = each_cc[i]; isa = each_isa[k]
        find_meanings()
        for (p = 1; p <= l; p++) { policy = each[p]; put_regime() }
    }
    for (i in source) put_kernel(i)
    print "\n# Copies, which registry-tool makes at once: rules are for who names one. Then what to compile." >rules
    put_list("twins", twins, twin_count)
    put_list("objects", objects, object_count)
    print "references :=" references "\nwhole_count := " table_count + 0 "\nwanted_count := " wanted_count + 0 >rules
    keep_lines(build "/kernels.table", table, table_count)
    wanted[wanted_count + 1] = set["OBJECTS"]
    keep_lines(build "/wanted.list", wanted, wanted_count + 1)
    # For tests: kernels that are not built for everything, and the ISAs that kernels must name, as isa.NAME.
    keep(build "/restricted.list", restricted prefixed("isa.", filter(set["named_isas"], isas)))
}
BEGIN {
    read_settings()
    read_kernels()
    find_run()
    put_all()
    print "made"
    exit
}
