# bash completion for bloomery; tests/documents holds it to the options and kinds the command really has.
_bloomery() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local hashes='fnv_splitmix xxh3 xxh64 siphash13 siphash24'
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W 'plan build query inspect verify add remove resize fold list merge overlap convert hash set-diff iblt-size table bench demo --help --version' -- "$word"))
    return
  fi
  if [[ $command == table ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W 'build get scan stats verify compact refilter bench --help' -- "$word"))
      return
    fi
    command="table ${COMP_WORDS[2]}"
  fi
  case $before in
    --hash) COMPREPLY=($(compgen -W "$hashes" -- "$word")); return ;;
    --kind)
      local kinds='block split classic counting partitioned scalable stable cuckoo quotient fuse ribbon iblt'
      case $command in
        bench) kinds='split,block classic split block counting partitioned scalable cuckoo quotient fuse ribbon' ;;
        convert) kinds='classic' ;;
        table*) kinds='split block classic fuse ribbon' ;;
      esac
      COMPREPLY=($(compgen -W "$kinds" -- "$word"))
      return
      ;;
    --key-type) COMPREPLY=($(compgen -W 'bytes int32 int64 double' -- "$word")); return ;;
    --format) COMPREPLY=($(compgen -W 'tsv jsonl' -- "$word")); return ;;
    --compression) COMPREPLY=($(compgen -W 'none lz4 zstd' -- "$word")); return ;;
    --keys) [[ $command == bench ]] && COMPREPLY=($(compgen -W 'u64 string' -- "$word")) || COMPREPLY=($(compgen -f -- "$word")); return ;;
    --isa) COMPREPLY=($(compgen -W 'list scalar neon avx2 avx512' -- "$word")); return ;;
    --to) COMPREPLY=($(compgen -W 'raw envelope' -- "$word")); return ;;
  esac
  local options
  case $command in
    plan) options='-n --current --growth --rebuild --headroom --volatility --fpr --json' ;;
    build) options='--kind --fpr -n --bits-per-key -m -k --blocks --geometry --hash --seed --secret --envelope --parquet --key-type --differences --key-bytes --estimator -0 -q --quiet -o --output' ;;
    query) options='--secret --no-verify --parquet --key-type -0' ;;
    inspect) options='--json --parquet' ;;
    verify) options='--parquet' ;;
    add) options='--secret -o --output -q --quiet --parquet --key-type -0' ;;
    remove) options='--secret -o --output -q --quiet -0' ;;
    resize) options='--secret -o --output -q --quiet' ;;
    fold) options='--secret -o --output -q --quiet -0' ;;
    list) options='' ;;
    overlap) options='--json --secret --parquet' ;;
    merge) options='--intersect --secret -o --output' ;;
    convert) options='--to --kind --secret -o --output' ;;
    hash) options='--hash --seed --secret -0' ;;
    set-diff) options='--secret -0 -q --quiet' ;;
    iblt-size) options='--differences --key-bytes --secret -0 --json' ;;
    'table build') options='--format --all-versions --memory --expect --kind --fpr --bits-per-key --filter-partition --no-filter --hash --seed --secret --block-size --compression --restart-interval -q --quiet -o --output' ;;
    'table get') options='--keys -0 --no-filter --stats --secret' ;;
    'table scan') options='--from --to --prefix --limit --reverse --all-versions --format' ;;
    'table stats') options='--json --secret' ;;
    'table verify') options='--secret' ;;
    'table compact') options='--last-level --split --rate --kind --fpr --bits-per-key --filter-partition --no-filter --hash --seed --secret --block-size --compression --restart-interval -q --quiet -o --output' ;;
    'table refilter') options='--kind --fpr --bits-per-key --filter-partition --no-filter --hash --seed --secret -q --quiet -o --output' ;;
    'table bench') options='-n --n --value-bytes --json' ;;
    bench) options='--kind -n --n --fpr --keys --threads --isa --json --counters --quick' ;;
    demo) options='-n' ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options --help" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _bloomery bloomery
