# The table of contents: every verb of the workbook is a rule in this file. `make help` lists them.
#
# Another compiler, level or machine:  make lesson-07 CC=clang OPT=-O2 ARCH=x86-64-v3   (changing them rebuilds)
# Figures for a slide:                 make plots FORMAT=pdf THEME=dark
# Show every command in full:          make lesson-07 V=1

OPT    = -O3
ARCH   = native
BUILD  = build
FORMAT = svg
THEME  = light
FAST   =
V      =

$(if $(filter svg png pdf,$(FORMAT)),,$(error FORMAT can be svg, png or pdf, not $(FORMAT)))
$(if $(filter light dark,$(THEME)),,$(error THEME can be light or dark, not $(THEME)))

JANSSON := $(shell pkg-config --cflags --libs jansson 2>/dev/null)
CHECK   := $(shell pkg-config --cflags --libs check 2>/dev/null)
SECCOMP := $(shell pkg-config --libs libseccomp 2>/dev/null)

# -ffp-contract=off: a*b + c rounds twice unless the source says fma. No errno and no traps change no result; they
# only let sqrt and fma be single instructions. BITS stands behind CFLAGS, so that nothing there can undo it.
# (To clang -fno-unsafe-math-optimizations is a wish for traps, which slow it down; -fno-fast-math is enough there.)
BITS     = -fno-fast-math -ffp-contract=off -fno-associative-math -fno-reciprocal-math -fsigned-zeros \
           $(if $(CLANG),,-fno-unsafe-math-optimizations) -fno-math-errno -fno-trapping-math
CLANG   := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wno-psabi
COMPILE  = $(CC) -std=gnu17 -D_GNU_SOURCE -pthread $(OPT) -march=$(ARCH) $(WARNINGS) $(CFLAGS) $(BITS) -g -I.

common  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard common/*.c))
lessons := $(notdir $(patsubst %/,%,$(wildcard lessons/*/)))
numbers := $(foreach name,$(lessons),$(firstword $(subst -, ,$(name))))
fast    := $(filter-out 0,$(FAST))
quiet   := $(if $(V),,@)
dark    := $(if $(filter dark,$(THEME)),-dark)
figures := $(patsubst plots/%.gp,figures/%$(dark).$(FORMAT),$(wildcard plots/[0-9]*.gp))

.PHONY: help book check next watch grade try-18 plots need-plots need-exercises need-test ready-grader grader \
        test test-core test-lessons test-exercises test-pages test-figures test-fuzz test-faults test-breaks \
        fuzz portability sanitize test-exhaustive bench expected \
        doctor clean FORCE $(numbers:%=run-%)
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.SECONDARY:

help:
	@echo 'make lesson-NN     build lesson NN into ./lesson-NN        lessons: $(numbers)'
	@echo 'make run-NN        build it and run it'
	@echo 'make book          build and run every lesson, draw every figure, list what was made'
	@echo 'make plots         draw the figures that are out of date   FORMAT=svg|png|pdf THEME=light|dark'
	@echo 'make check         grade the exercises: check-NN one of them, STRICT=1 REPORT=tap|junit|json FILE=f SEED=n'
	@echo 'make next          the first exercise that is not done; watch: grade again on each save'
	@echo 'make try-18        train on the examples that exercise 18 makes, and see what comes of it'
	@echo 'make hint-NN       one more hint; solution-NN once it passes (FORCE=1); reset-NN begins anew, keeps what was there'
	@echo 'make grade SUBMISSIONS=dir    the marks of a class: OUT=dir MOODLE=worksheet.csv TITLE=text'
	@echo 'make test          everything that must hold               FAST=1: the shorter part'
	@echo 'make fuzz          invent inputs: FUZZ_SECONDS=n for each of seven targets, or FUZZ_RUNS=n'
	@echo 'make test-breaks   break the core in many ways: do the tests notice?   BREAK=word: some of them'
	@echo 'make portability   the same bits from every build: gcc and clang, -O0 to -O3, x86-64 and AArch64, 1 to 8 threads'
	@echo 'make test-exhaustive   exp, log, erf, sin, cos for every float'
	@echo 'make sanitize      the tests under sanitizers and valgrind   TOOLS="address thread memory"'
	@echo 'make bench         how fast it is, and how fast it could be   FAST=1: in a minute'
	@echo 'make expected      take what the lessons print now as what they must print'
	@echo 'make doctor        which packages are there, which are missing, how to get them (./setup gets them)'
	@echo 'make compile_commands.json    for editors and clangd'
	@echo 'make clean         remove what was built; out/ and figures/ too'

# Lessons: every .c file in lessons/NN-name/ and the common core make ./lesson-NN.
lesson-%: $(BUILD)/lesson-% FORCE
	@cmp -s $< $@ || cp -f $< $@

$(BUILD)/lesson-%: $$(or $$(addprefix $(BUILD)/,$$(addsuffix .o,$$(basename $$(wildcard lessons/$$*-*/*.c)))), \
        $$(error there is no lesson $$* (there are $(numbers)))) $(BUILD)/common.a
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(JANSSON) -lm

$(numbers:%=run-%): run-%: lesson-%
	./$<

$(BUILD)/common.a: $(common)
	@rm -f $@
	$(quiet)ar rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo 'compiling $<'
	$(quiet)$(COMPILE) -MMD -MP -c -o $@ $<

# The command line of the last build. When it differs, everything is compiled again.
$(BUILD)/flags: FORCE
	@./setup --check build CC='$(CC)'
	@mkdir -p $(@D)
	@echo '$(COMPILE)' | cmp -s - $@ || echo '$(COMPILE)' >$@

# Pages and figures. A page is what a lesson prints; running it also writes the TSV files beside the page.
book: need-plots $(lessons:%=out/%/page.txt) plots
	@sh plots/contents.sh '$(lessons)' '$(figures)'

plots: need-plots $(figures)

need-plots:
	@./setup --check plots

# What is being made has another name until it is whole; whatever ends the rule, Ctrl-C too, that name is gone.
part = part=$@.$$$$; trap 'rm -f "$$part"' EXIT; trap 'exit 130' HUP INT TERM

lesson = $(filter $(firstword $(subst -, ,$*))-%,$(lessons))

figures/%$(dark).$(FORMAT): plots/%.gp plots/style.gp out/$$(lesson)/page.txt $$(wildcard out/$$(lesson)/*.tsv)
	@mkdir -p $(@D)
	@echo 'drawing $@'
	$(quiet)$(part); \
	gnuplot --default-settings -e "data='out/$(lesson)'; figure='$$part'; format='$(FORMAT)'; theme='$(THEME)'" $< && \
	    mv $$part $@

# out/NN-name/ is the book's. A run by hand that wrote into it, or a table that is gone, makes the page run again.
lost = $(filter-out $(wildcard out/$1/*),$(shell cat out/$1/.made 2>/dev/null))
out/%/page.txt: lesson-$$(firstword $$(subst -, ,$$*)) $$(wildcard out/$$*/*.tsv) $$(if $$(call lost,$$*),FORCE)
	@mkdir -p $(@D)
	@echo 'running ./$< into $@'
	$(quiet)$(part); ./$< >$$part && mv $$part $@ && touch $@ || { cat $$part; exit 1; }
	@ls $(@D)/*.tsv >$(@D)/.made

# Tests. Each prints what it did; the first that fails stops the run.
test: need-test need-plots test-core test-lessons test-exercises test-fuzz test-pages test-figures \
      $(if $(fast),,fuzz test-faults portability)
	@echo 'make test: all of it passed'

need-test:
	@./setup --check test

test-core: need-test $(BUILD)/test-core
	$(BUILD)/test-core

test-lessons: need-test $(BUILD)/test-lessons $(numbers:%=lesson-%)
	$(BUILD)/test-lessons

# In two halves side by side; the grader itself is tested by breaking it.
test-exercises: need-test $(BUILD)/test-exercises $(BUILD)/grader
	$(if $(fast),SHORT=1) sh tests/exercises/halves.sh $(BUILD)/test-exercises
	$(if $(fast),,sh tests/exercises/broken.sh)

test-pages: $(numbers:%=lesson-%)
	@sh tests/pages.sh '$(lessons)' $(if $(fast),short,compare)
	@sh tests/numbers.sh '$(lessons)'
	$(if $(fast),,@sh tests/experiments.sh short)

test-figures: need-plots test-pages
	@sh tests/figures.sh '$(lessons)' $(if $(fast),short,compare)

# The same bits from every compiler, level, machine and number of threads.
portability:
	@./setup --check portability
	@sh tests/portability/run.sh

# Kill it, fill the disk, close its page; and break the core, to see that the tests notice.
test-faults: lesson-07
	@sh tests/faults.sh '$(MAKE)'

test-breaks: need-test need-exercises
	@sh tests/breaks.sh $(BREAK)

# Inputs that nobody thought of. test-fuzz tries the seeds, and what ever failed, again; fuzz invents new ones.
fuzzed = $(wildcard common/*.c) $(filter-out %/fuzzer.c %/replay.c,$(wildcard tests/fuzz/*.c)) lessons/07-train/source.c \
         $(patsubst %,tests/graders/%.c,worksheet gradebook gradebook_json report csv text result experiment answers pages stub \
         14-scaling/experiment 16-no-mask/experiment)

test-fuzz: $(BUILD)/test-fuzz
	@sh tests/fuzz/run.sh replay $<

fuzz: need-test test-fuzz
	@sh tests/fuzz/run.sh fuzz '$(MAKE)' $(BUILD)/fuzz/fuzzer

$(BUILD)/test-fuzz: $(patsubst %.c,$(BUILD)/%.o,$(fuzzed) tests/fuzz/replay.c)
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(JANSSON) -lm

FUZZ = clang -std=gnu17 -D_GNU_SOURCE -pthread -O1 -g -march=$(ARCH) $(WARNINGS) $(CFLAGS) -ffp-contract=off -I. \
       -Dexit=fuzz_exit -fno-sanitize-recover=all -fsanitize=address,undefined

$(BUILD)/fuzz/fuzzer: $(patsubst %.c,$(BUILD)/fuzz/%.o,$(fuzzed) tests/fuzz/fuzzer.c)
	@echo 'linking $@'
	$(quiet)$(FUZZ) -fsanitize=fuzzer -o $@ $^ $(JANSSON) -lm

$(BUILD)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(quiet)$(FUZZ) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(BUILD)/test-core: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/*.c tests/core/*.c)) $(BUILD)/common.a
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(CHECK) $(JANSSON) -lm

$(BUILD)/test-lessons: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/*.c tests/lessons/*.c)) $(BUILD)/common.a
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(CHECK) $(JANSSON) -lm

$(BUILD)/train20: $(BUILD)/tests/portability/train20.o $(BUILD)/common.a
	$(quiet)$(COMPILE) -o $@ $^ $(JANSSON) -lm

# What sanitizers and valgrind find: TOOLS=address, thread or memory, or more than one.
sanitize:
	@./setup --check sanitize
	@sh tests/sanitize.sh $(TOOLS)

# Every float, which takes minutes and is no part of make test.
test-exhaustive: $(BUILD)/test-exhaustive
	$<

$(BUILD)/test-exhaustive: $(BUILD)/tests/exhaustive/exhaustive.o $(BUILD)/tests/core/functions.o $(BUILD)/common.a
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(JANSSON) -lm

# Exercises. The grader is one program. The learner's side of an exercise is another, which the grader makes of the
# answer and of the objects below: they are compiled with all the sanitizers that there are.
exercises := $(foreach name,$(notdir $(patsubst %/,%,$(wildcard exercises/*/))),$(firstword $(subst -, ,$(name))))
grading = $(if $(SEED),--seed "$$SEED") $(if $(TIMEOUT_SCALE),--timeout-scale "$$TIMEOUT_SCALE") \
          $(if $(filter-out 0,$(STRICT)),--strict) $(if $(filter-out 0,$(FORCE)),--force) \
          $(if $(REPORT),--report "$$REPORT") $(if $(FILE),--file "$$FILE")

check next watch: %: ready-grader
	@$(BUILD)/grader $@ $(grading)

check-% hint-% reset-% solution-% watch-%: ready-grader
	@$(BUILD)/grader $(firstword $(subst -, ,$@)) --only $* $(grading)

grade: ready-grader
	@$(BUILD)/grader grade $(grading) $(if $(SUBMISSIONS),--submissions "$$SUBMISSIONS") $(if $(OUT),--out "$$OUT") \
	    $(if $(MOODLE),--moodle "$$MOODLE") $(if $(TITLE),--title "$$TITLE")

answer_side := host/main case $(patsubst tests/graders/%.c,%,$(wildcard tests/graders/*/call.c))

grader := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/graders/*.c) $(filter-out %/call.c %/try.c,$(wildcard tests/graders/[0-9]*/*.c)))

# Train on what exercise 18 has in its answer.c.
try-18: need-exercises $(BUILD)/try-18
	@$(BUILD)/try-18

$(BUILD)/try-18: $(filter-out %/main.o,$(grader)) $(BUILD)/tests/graders/18-longer/try.o $(BUILD)/common.a | $(answer_side:%=$(BUILD)/answer/tests/graders/%.o)
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(CHECK) $(JANSSON) $(SECCOMP) -lm

need-exercises:
	@./setup --check exercises

# Built on all processors: a learner waits for it once.
ready-grader: need-exercises
	@+$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN)) grader

grader: $(BUILD)/grader
	@:

$(BUILD)/grader: $(grader) $(BUILD)/common.a | $(answer_side:%=$(BUILD)/answer/tests/graders/%.o)
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(CHECK) $(JANSSON) $(SECCOMP) -lm

$(BUILD)/test-exercises: $(filter-out %/main.o,$(grader)) $(BUILD)/common.a $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/*.c tests/exercises/*.c)) \
        | $(answer_side:%=$(BUILD)/answer/tests/graders/%.o)
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(CHECK) $(JANSSON) $(SECCOMP) -lm

$(BUILD)/answer-flags: tests/graders/flags.sh $(BUILD)/flags
	@sh $< '$(CC)' >$@

$(BUILD)/answer/%.o: %.c $(BUILD)/answer-flags
	@mkdir -p $(@D)
	$(quiet)$$(cat $(BUILD)/answer-flags) -MMD -MP -c -o $@ $<

$(BUILD)/tests/graders/filter.o: private override CFLAGS += $(if $(SECCOMP),-DHAVE_SECCOMP $(shell pkg-config --cflags libseccomp))

# Speed. It reports; it fails only if the work that was timed is not the right work.
bench: $(BUILD)/bench-run
	@$< $(if $(fast),--fast) $(SECTIONS)
	@mkdir -p figures
	@[ ! -f out/bench/cost.tsv ] || gnuplot --default-settings -e "format='$(FORMAT)'; theme='$(THEME)'" plots/bench.gp || echo 'no figure'

$(BUILD)/bench-run: $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/*.c)) $(BUILD)/common.a
	@echo 'linking $@'
	$(quiet)$(COMPILE) -o $@ $^ $(shell pkg-config --libs openblas 2>/dev/null) $(JANSSON) -lm

$(BUILD)/bench/blas.o: private override CFLAGS += $(shell pkg-config --exists openblas && pkg-config --cflags openblas && echo -DHAVE_OPENBLAS)

# Take what the lessons print now as what they must print, and what is drawn now as their pictures.
expected: $(numbers:%=lesson-%)
	@mkdir -p tests/expected
	@sh tests/pages.sh '$(lessons)' write
	@sh tests/figures.sh '$(lessons)' write

compile_commands.json: Makefile
	@directory=$$(pwd | sed 's/[\"]/\\&/g'); separator='['; \
	for file in $(wildcard common/*.c lessons/*/*.c bench/*.c tests/*.c tests/*/*.c); do \
	    printf '%s\n{"directory": "%s", "file": "%s", "command": "%s"}' \
	        "$$separator" "$$directory" "$$file" "$(COMPILE) -c $$file"; separator=','; \
	done >$@; printf '\n]\n' >>$@

doctor:
	@./setup --doctor CC='$(CC)'

clean:
	rm -rf $(BUILD) out figures $(numbers:%=lesson-%) compile_commands.json

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
