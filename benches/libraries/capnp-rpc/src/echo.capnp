@0xee9030773db2fc22;

interface Echo {
  call @0 (payload :Data) -> (payload :Data);
}
